"""The compiler: reads provider specs and writes typed modules that build each API's requests.

provider_specs/*.yaml -> spec (read, merge, check) -> model (every decision) -> plugins -> emit -> generated/
"""
