# promptwire serve --config /gateway.yaml, as a user without rights
FROM python:3.13-slim

WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY runtime runtime
COPY generated generated
RUN pip install --no-cache-dir ".[cli,serve]" && rm -r /src

WORKDIR /
RUN useradd --system promptwire
USER promptwire
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/ready', timeout=2)"]
ENTRYPOINT ["promptwire", "serve"]
CMD ["--config", "/gateway.yaml"]
