"""Facts that a spec declares are the rules that somebody would write for them, and their faults stand where they stand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.internals.compiler import Condition, WireRule, load_specs, lower_all

from .test_language_page import SMALL

FILE = "specs/small.yaml"
BODY = SMALL.replace(
    "  messages: $messages\n",
    """\
  temperature?: $temperature
  stop?: $stop
  service_tier?: $service_tier
  stream?: $stream
  stream_usage?: $stream_usage
  thread?: $vendor.thread
  effort?: $reasoning.effort
  messages: $messages
""",
).replace(
    'chat"}',
    'chat", headers: {"x-beta?": $betas|comma}, settings: {betas: {type: list}, base_url: {default: "https://orca.example"}}}',
)
SOURCES = """
acme_sdk: {title: acme SDK 2.0, date: 2026-11, page: "https://example.com/sdk"}
acme_page: {title: Acme's page on models, date: 2026-10}
"""
FAMILY = """
family: orca
title: Orca
names: [orca-*]
groups:
  old: [orca-1*, "*/orca-1*"]
  small: {names: [orca-2-mini*], without: [orca-2-mini-pro*]}
  all_small: [old, orca-3-mini*]
models:
  temperature:
    old: {unsupported: true, source: acme_page}
  reasoning.effort:
    small: {enum: [low, medium], because: small ones think little, source: {who: acme_page, what: the table}}
  top_k:
    old: {minimum: 1, source: acme_page}
rules:
  - {reject: {stop: {minItems: 5}}, because: four are enough, source: acme_page}
  - when: {models: all_small, given: [stop]}
    reject: [{service_tier: flex}, {temperature: {exclusiveMinimum: 1}}]
    because: it does not go with stop strings
    source: acme_page
"""
HOST = """
host: reef
title: Reef
urls: ["https://reef.example/v1", "https://*.reef.example/v1"]
groups: {big: [big-*]}
values:
  stop: {unsupported: true, source: acme_page}
models:
  temperature:
    big: {maximum: 1, source: acme_page}
rules:
  - {when: {models: big}, allow: {stop: a}, because: it takes this one, source: acme_page}
"""


def rules_of(declared: str, **shared: str) -> list[dict[str, Any]]:
    """The rules of a spec with these sections as text, without what is empty."""
    files = {FILE: BODY + declared}
    files |= {f"specs/{name.replace('__', '/')}.yaml": text for name, text in shared.items()}
    (spec,) = load_specs(files)
    return [texts_of(rule) for rule in spec.rules]


def texts_of(rule: WireRule) -> dict[str, Any]:
    when = {
        "model": rule.model,
        "not_model": rule.not_model,
        "settings": rule.settings,
        "given": shown(rule.given),
        "unless": shown(rule.unless),
    }
    does = {"reject": shown(rule.reject), "allow": shown(rule.allow), "add": rule.add}
    texts: dict[str, Any] = {"when": {key: value for key, value in when.items() if value}, **does}
    texts |= {"because": rule.because, "source": rule.source, "family": rule.family}
    return {key: value for key, value in texts.items() if value}


def shown(conditions: tuple[Condition, ...]) -> tuple[str, ...]:
    return tuple(map(str, conditions))


def test_a_value_is_refused_where_it_is_not_taken() -> None:
    declared = """
values:
  temperature: {minimum: 0, maximum: 2, source: acme_sdk}
  top_p: {maximum: 1, source: [{who: acme_sdk, what: docs of top_p}, acme_page]}
  service_tier: {enum: [auto, flex], because: there are two, source: "somebody, 2026-01"}
  tools.name: {pattern: "[a-z]+", because: names are letters, source: [acme_page, "and somebody, 2026-02"]}
  vendor.thread: {unsupported: true, source: acme_page}
  part: {not: [video, audio], source: acme_page}
"""
    assert rules_of(declared, sources=SOURCES) == [
        {
            "reject": ("temperature<0", "temperature>2"),
            "because": "`temperature` must be between 0 and 2",
            "source": "acme SDK 2.0, 2026-11",
        },
        {
            "reject": ("top_p>1",),
            "because": "`top_p` must be at most 1",
            "source": "acme SDK 2.0, docs of top_p, 2026-11; Acme's page on models, 2026-10",
        },
        {"reject": ("service_tier!=auto|flex",), "because": "there are two", "source": "somebody, 2026-01"},
        {
            "reject": ("tools.name!~[a-z]+",),
            "because": "names are letters",
            "source": "Acme's page on models, 2026-10; and somebody, 2026-02",
        },
        {
            "reject": ("vendor.thread",),
            "because": "`thread` is not supported",
            "source": "Acme's page on models, 2026-10",
        },
        {
            "reject": ("part=video|audio",),
            "because": "`part` must not be video or audio",
            "source": "Acme's page on models, 2026-10",
        },
    ]


def test_a_need_rejects_a_field_unless_another_is_given() -> None:
    assert rules_of(
        "needs:\n  stream_usage: {given: {stream: true}, source: acme_sdk}\n", sources=SOURCES
    ) == [
        {
            "when": {"unless": ("stream=true",)},
            "reject": ("stream_usage",),
            "because": "`stream_usage` needs stream=true",
            "source": "acme SDK 2.0, 2026-11",
        },
    ]


BESIDE = {
    "{either: [tools, thread]}": [
        ("unless", ("tools", "vendor.thread"), "`stop` needs tools or thread"),
    ],
    "{given: stream, either: [tools, thread]}": [
        ("unless", ("stream",), "`stop` needs stream and tools or thread"),
        ("unless", ("tools", "vendor.thread"), "`stop` needs stream and tools or thread"),
    ],
    "{without: [tools, thread], because: it does not}": [
        ("given", ("tools",), "it does not"),
        ("given", ("vendor.thread",), "it does not"),
    ],
    "{given: stream, without: tools}": [
        ("unless", ("stream",), "`stop` needs stream"),
        ("given", ("tools",), "`stop` does not go with tools"),
    ],
}


@pytest.mark.parametrize("need", BESIDE)
def test_one_of_several_may_be_enough_and_some_may_be_too_much(need: str) -> None:
    fact = need.replace("thread", "vendor.thread").replace("}", ", source: acme_sdk}")
    rules = rules_of(f"needs:\n  stop: {fact}\n", sources=SOURCES)
    assert [
        (word, given, rule["because"]) for rule in rules for word, given in rule["when"].items()
    ] == BESIDE[need]


def test_a_field_asks_for_a_word_of_any_date() -> None:
    declared = """
asks:
  betas:
    vendor.thread: {word: threads-2026-08-12, source: acme_sdk}
    stop: {word: stops, because: stops are new, source: acme_sdk}
"""
    assert rules_of(declared, sources=SOURCES) == [
        {
            "when": {"given": ("vendor.thread",)},
            "add": {"betas": "threads-2026-08-12|threads-*"},
            "because": "`thread` is in beta",
            "source": "acme SDK 2.0, 2026-11",
        },
        {
            "when": {"given": ("stop",)},
            "add": {"betas": "stops"},
            "because": "stops are new",
            "source": "acme SDK 2.0, 2026-11",
        },
    ]


def test_the_facts_of_a_family_stand_before_those_of_a_spec() -> None:
    declared = """
families: {orca: {without: {temperature: "we drop it, 2026-11"}}}
groups: {ours: [orca-2*]}
models:
  stop:
    ours: {enum: [a, b], source: acme_page}
rules:
  - {when: {models: [ours, old], model: [x*]}, reject: [stop], because: none, source: acme_page}
"""
    page = "Acme's page on models, 2026-10"
    assert rules_of(declared, sources=SOURCES, models__orca=FAMILY) == [
        {
            "when": {"model": ("orca-2-mini*",), "not_model": ("orca-2-mini-pro*",)},
            "reject": ("reasoning.effort!=low|medium",),
            "because": "small ones think little",
            "source": "Acme's page on models, the table, 2026-10",
            "family": "orca",
        },
        {
            "when": {"model": ("orca-1*", "*/orca-1*")},
            "reject": ("top_k<1",),
            "because": "`top_k` must be at least 1",
            "source": page,
            "family": "orca",
        },
        {
            "when": {"model": ("orca-*",)},
            "reject": ("stop.count>4",),
            "because": "four are enough",
            "source": page,
            "family": "orca",
        },
        {
            "when": {"model": ("orca-1*", "*/orca-1*", "orca-3-mini*"), "given": ("stop",)},
            "reject": ("service_tier=flex",),
            "because": "it does not go with stop strings",
            "source": page,
            "family": "orca",
        },
        {
            "when": {"model": ("orca-2*",)},
            "reject": ("stop!=a|b",),
            "because": "`stop` must be one of a, b",
            "source": page,
        },
        {
            "when": {"model": ("x*", "orca-2*", "orca-1*", "*/orca-1*")},
            "reject": ("stop",),
            "because": "none",
            "source": page,
        },
    ]


def test_two_families_may_give_their_groups_one_name() -> None:
    def family(name: str, limit: int) -> str:
        return f"""
family: {name}
title: {name}
names: [{name}-*]
groups: {{old: [{name}-1*]}}
models:
  max_tokens:
    old: {{maximum: {limit}, source: acme_page}}
"""

    families = "families: {orca: {}, seal: {}}\n"
    pages = {"models__orca": family("orca", 100), "models__seal": family("seal", 200)}
    assert [(each["when"], each["reject"]) for each in rules_of(families, sources=SOURCES, **pages)] == [
        ({"model": ("orca-1*",)}, ("max_tokens>100",)),
        ({"model": ("seal-1*",)}, ("max_tokens>200",)),
    ]


def test_facts_of_a_host_hold_at_its_addresses_after_all_other_rules() -> None:
    urls = ("https://reef.example/v1", "https://*.reef.example/v1")
    declared = "hosts: [reef]\nvalues: {top_k: {minimum: 1, source: acme_page}}\nrules: [{reject: [seed], because: b, source: acme_page}]\n"
    at = {"settings": {"base_url": urls}}
    by = {"source": "Acme's page on models, 2026-10", "family": "reef"}
    big = {"when": {"model": ("big-*",), **at}}
    own, rule, *of_host = rules_of(declared, sources=SOURCES, hosts__reef=HOST)
    assert (own["reject"], rule["reject"]) == (("top_k<1",), ("seed",))
    assert of_host == [
        {"when": at, "reject": ("stop",), "because": "`stop` is not supported", **by},
        {**big, "reject": ("temperature>1",), "because": "`temperature` must be at most 1", **by},
        {**big, "allow": ("stop=a",), "because": "it takes this one", **by},
    ]


def test_facts_of_a_host_always_hold_for_the_api_whose_own_address_is_one_of_its() -> None:
    own = BODY.replace("https://orca.example", "https://reef.example/v1")
    (spec,) = load_specs(
        {FILE: f"{own}hosts: reef\n", "specs/hosts/reef.yaml": HOST, "specs/sources.yaml": SOURCES}
    )
    assert [dict(rule.settings) for rule in spec.rules] == [{}, {}, {}]


def test_what_all_models_of_a_family_take_is_said_of_them_and_of_all_where_it_stands_alone() -> None:
    family = """
family: orca
title: Orca
names: {names: [orca-*], without: [orca-open*]}
values:
  stop.count: {maximum: 4, source: acme_page}
  stop: {not: [x], source: acme_page}
needs:
  stream_usage: {given: {stream: true}, source: acme_page}
"""
    page = "Acme's page on models, 2026-10"
    at_most = {"reject": ("stop.count>4",), "because": "`stop.count` must be at most 4", "source": page}
    without = (
        'families: {orca: {prefix: "acme/", without: {"stop*": "we look at them ourselves, 2026-11"}}}\n'
    )
    names = {"model": ("acme/orca-*",), "not_model": ("acme/orca-open*",)}
    needed = {"because": "`stream_usage` needs stream=true", "source": page, "family": "orca"}
    assert rules_of(without, sources=SOURCES, models__orca=family) == [
        {"when": {**names, "unless": ("stream=true",)}, "reject": ("stream_usage",), **needed},
    ]
    alone = rules_of("families: {orca: {alone: true}}\n", sources=SOURCES, models__orca=family)
    assert [rule.get("when") for rule in alone] == [{"unless": ("stream=true",)}, None, None]
    assert alone[1] == {**at_most, "family": "orca"}


def test_a_fact_without_a_place_on_a_wire_is_no_rule_of_it() -> None:
    files = {
        FILE: BODY + "families: {orca: null}\n",
        "specs/models/orca.yaml": FAMILY,
        "specs/sources.yaml": SOURCES,
    }
    lowered = lower_all(files)
    assert [(problem.span.line, problem.rule) for problem in lowered.problems] == [(14, "no-place")]
    lowered = lower_all({**files, "specs/models/orca.yaml": FAMILY.replace("top_k", "stop.count", 1)})
    assert lowered.problems == []


WRONG = {
    "values: {temperature: {minimum: 0, maximum: 2, source: acme_skd}}": (
        "bad-value",
        'names "acme_skd", which is not in sources.yaml: did you mean "acme_sdk"?',
    ),
    "values: {temprature: {minimum: 0, maximum: 2, source: acme_sdk}}": (
        "unknown-field",
        '"temprature" is not a field',
    ),
    "values: {temperature: {rnage: 0..2, source: acme_sdk}}": (
        "unknown-key",
        '"rnage" is not a key of temperature',
    ),
    "values: {temperature: {range: 0..2, source: acme_sdk}}": (
        "renamed-key",
        '"range" has been renamed: it is now minimum and maximum, or minItems and maxItems',
    ),
    "values: {temperature: {minimum: low, source: acme_sdk}}": (
        "wrong-type",
        "values.temperature.minimum must be a number",
    ),
    "values: {temperature>2: {unsupported: true, source: acme_sdk}}": (
        "unknown-field",
        '"temperature>2" is not a field',
    ),
    "values: {user_id: {maxLength: 0.5, source: acme_sdk}}": (
        "bad-value",
        "values.user_id.maxLength must be a whole number, 0 or more",
    ),
    "values: {user_id: {required: {one_of: [a], or: b}, source: acme_sdk}}": (
        "unknown-key",
        '"or" is not a key of required',
    ),
    "needs: {stop: {given: stream=true, source: acme_sdk}}": (
        "bad-value",
        'needs.stop.given has a test in the text "stream=true": write it as a mapping; gen fmt does it',
    ),
    "rules: [{reject: {stop: {most: 4}}, because: b, source: acme_sdk}]": (
        "bad-value",
        'rules[0].reject tests stop by "most": the words are minimum, maximum, exclusiveMinimum',
    ),
    "rules: [{reject: {stop: {minItems: 0.5}}, because: b, source: acme_sdk}]": (
        "bad-value",
        "rules[0].reject must compare stop.count with a whole number by minItems",
    ),
    "values: {stop: {unsupported: true, source: {acme_sdk: docs of stop}}}": (
        "bad-value",
        'values.stop.source has the key "acme_sdk": write {who: acme_sdk, what: ...}; gen fmt does it',
    ),
    "values: {stop: {unsupported: true, source: {what: docs of stop}}}": (
        "bad-value",
        "values.stop.source lacks who",
    ),
    "values: {temperature: {only: 0..2, source: acme_sdk}}": (
        "renamed-key",
        '"only" has been renamed: it is now enum, or minimum and maximum',
    ),
    "values: {stop: {never: x, source: acme_sdk}}": (
        "renamed-key",
        '"never" has been renamed: it is now not',
    ),
    "groups: {a: [b]}\nmodels: {stop: {a: {like: x, source: acme_sdk}}}": (
        "renamed-key",
        '"like" has been renamed: it is now pattern',
    ),
    "groups: {a: [b]}\nmodels: {stop: {a: {refused: true, source: acme_sdk}}}": (
        "renamed-key",
        '"refused" has been renamed: it is now unsupported',
    ),
    "values: {'tools[shape=opnapi].parameters.*': {not: [const], source: acme_sdk}}": (
        "unknown-shape",
        'no tool has the shape "opnapi"',
    ),
    "families: {orka: null}": ("unknown-family", 'there is no family of models "orka"'),
    "hosts: [reff]": ("unknown-host", 'there is no host "reff"'),
    "hosts: [reef, reef]": ("duplicate-value", '"reef" stands in hosts twice'),
    "models: {stop: {nobody: {unsupported: true, source: acme_sdk}}}": (
        "unknown-group",
        'no group of models "nobody"',
    ),
    "groups: {a: [b], b: [a]}\nmodels: {stop: {a: {unsupported: true, source: acme_sdk}}}": (
        "unknown-group",
        '"a" holds itself',
    ),
    "needs: {stop: {given: nothing, source: acme_sdk}}": ("unknown-field", '"nothing" is not a field'),
    "needs: {stop: {source: acme_sdk}}": ("bad-value", "must say one of given, either, without"),
    "values: {stop: {source: acme_sdk}}": (
        "bad-value",
        "must say one of enum, not, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, required",
    ),
    "values: {input_tokens: {minimum: 1, source: acme_sdk}}": (
        "bad-value",
        "promptwire does not count input_tokens: a fact can state a limit, and no rule can look at it",
    ),
    "needs: {stop: {given: {input_tokens: {exclusiveMinimum: 5}}, source: acme_sdk}}": (
        "bad-value",
        "promptwire does not count input_tokens",
    ),
    "asks: {betaz: {stop: {word: a, source: acme_sdk}}}": (
        "unknown-field",
        '"betaz" is no list among the settings',
    ),
}


@pytest.mark.parametrize("declared", WRONG)
def test_a_fault_is_named_where_it_stands(declared: str) -> None:
    files = {
        FILE: BODY + declared + "\n",
        "specs/models/orca.yaml": FAMILY,
        "specs/hosts/reef.yaml": HOST,
        "specs/sources.yaml": SOURCES,
    }
    problems = [problem for problem in lower_all(files).problems if problem.rule != "no-place"]
    rule, message = WRONG[declared]
    assert [problem.rule for problem in problems] == [rule]
    assert message in problems[0].message
    line = BODY.count("\n") + 1
    assert line <= problems[0].span.line <= line + declared.count("\n")


# text of a page of a host -> the text in its place, and the problem, its place and its message
WRONG_PAGES = {
    "host: reef": ("host: reff", "host-name", (2, 7), 'host is "reff", and the file is named "reef"'),
    "title: Reef": ("titel: Reef", "unknown-key", (3, 1), '"titel" is not a key of a spec'),
    'urls: ["https://reef.example/v1", "https://*.reef.example/v1"]': (
        "urls: []",
        "bad-value",
        (4, 7),
        "urls is empty: write at least one",
    ),
    '"https://reef.example/v1", "https://*.reef.example/v1"': (
        "reef",
        "bad-value",
        (4, 8),
        "urls[0] must be a link that begins with https:// or http://",
    ),
    "models: big}": ("models: bug}", "unknown-group", (12, 21), 'there is no group of models "bug"'),
    "allow: {stop: a}": ("rename: {stop: stops}", "bad-value", (12, 27), "rename depends on the API"),
    "allow: {stop: a}, because": (
        "set: {instructions.role: developer}, because",
        "bad-value",
        (12, 27),
        "set depends on the API",
    ),
    "models: big}, allow": (
        "settings: {base_url: a}}, allow",
        "bad-value",
        (12, 13),
        "settings depends on the API",
    ),
    "allow: {stop: a}, ": ("", "missing-key", (12, 5), "rules[0] needs reject or allow"),
    "models: big}, ": ("models: []}, ", "bad-value", (12, 13), "models is an empty list"),
}


@pytest.mark.parametrize("written", WRONG_PAGES)
def test_a_fault_of_a_page_of_a_host_is_one_problem_at_its_place(written: str) -> None:
    instead, rule, place, message = WRONG_PAGES[written]
    files = {
        FILE: BODY + "hosts: reef\n",
        "specs/hosts/reef.yaml": HOST.replace(written, instead, 1),
        "specs/sources.yaml": SOURCES,
    }
    problems = lower_all(files).problems
    where = [
        (problem.rule, problem.span.file, problem.span.line, problem.span.column) for problem in problems
    ]
    assert where == [(rule, "specs/hosts/reef.yaml", *place)]
    assert problems[0].message.startswith(message)


def test_a_family_with_a_fault_is_one_problem_also_where_a_spec_names_its_groups() -> None:
    files = {
        FILE: BODY + "families: {orca: {}}\nmodels: {stop: {old: {unsupported: true, source: acme_sdk}}}\n",
        "specs/models/orca.yaml": FAMILY.replace("title", "titel"),
        "specs/sources.yaml": SOURCES,
    }
    (problem,) = lower_all(files).problems
    assert (problem.rule, problem.span.file, problem.span.line) == (
        "unknown-key",
        "specs/models/orca.yaml",
        3,
    )


def test_a_rule_of_a_family_does_not_rename_keys() -> None:
    family = FAMILY + "  - {rename: {stop: stops}, because: b, source: acme_page}\n"
    files = {
        FILE: BODY + "families: {orca: {}}\n",
        "specs/models/orca.yaml": family,
        "specs/sources.yaml": SOURCES,
    }
    (problem,) = [problem for problem in lower_all(files).problems if problem.rule != "no-place"]
    assert (problem.rule, problem.span.line) == ("bad-value", family.count("\n"))
    assert problem.message.startswith("rename depends on the API")


def test_only_a_spec_with_the_setting_base_url_names_hosts() -> None:
    files = {
        FILE: BODY.replace(', base_url: {default: "https://orca.example"}', "") + "hosts: reef\n",
        "specs/hosts/reef.yaml": HOST,
        "specs/sources.yaml": SOURCES,
    }
    (problem,) = lower_all(files).problems
    assert (problem.rule, problem.span.file) == ("unknown-setting", FILE)
    assert problem.message.startswith("facts of hosts hold at values of the setting base_url")


def test_neighbouring_facts_with_one_reason_are_one_rule() -> None:
    declared = """
values:
  temperature: {maximum: 1, because: &small it is small, source: acme_sdk}
  stop: {maxItems: 4, because: *small, source: acme_sdk}
  service_tier: {enum: [auto], because: *small, source: acme_page}
  thread, vendor.other: {unsupported: true, unless: {stream: true}, because: *small, source: acme_page}
"""
    rules = rules_of(declared.replace("thread,", "vendor.thread,"), sources=SOURCES)
    assert [(rule.get("when"), rule["reject"]) for rule in rules] == [
        (None, ("temperature>1", "stop.count>4")),
        (None, ("service_tier!=auto",)),
        ({"unless": ("stream=true",)}, ("vendor.thread", "vendor.other")),
    ]


def test_a_key_may_name_several_fields() -> None:
    declared = """
groups: {old: [orca-1*]}
values:
  temperature, top_p: {minimum: 0, maximum: 1, source: acme_sdk}
models:
  stop, stream:
    old: {unsupported: true, source: acme_sdk}
"""
    assert [rule["reject"] for rule in rules_of(declared, sources=SOURCES)] == [
        ("temperature<0", "temperature>1"),
        ("top_p<0", "top_p>1"),
        ("stop",),
        ("stream",),
    ]


RULE = "{reject: [stop], because: none, source: acme_sdk}"


@pytest.mark.parametrize(
    ("rules", "taken"),
    [
        ("", ["temperature", "seed"]),
        (f"rules: [..., {RULE}]", ["temperature", "seed", "stop"]),
        (f"rules: [{RULE}]", ["seed", "stop"]),
    ],
)
def test_a_dialect_with_rules_of_its_own_alone_has_facts_of_its_own_alone(
    rules: str, taken: list[str]
) -> None:
    files = {
        FILE: BODY + "values: {temperature: {unsupported: true, source: acme_sdk}}\n",
        "specs/child.yaml": "wire: child\nextends: small\nvalues: {seed: {unsupported: true, source: acme_sdk}}\n"
        + rules,
        "specs/sources.yaml": SOURCES,
    }
    (child, _) = load_specs(files)
    assert [str(rule.reject[0]) for rule in child.rules] == taken


def test_an_api_that_serves_a_family_alone_need_not_know_its_names() -> None:
    rules = rules_of("families: {orca: {alone: true}}\n", sources=SOURCES, models__orca=FAMILY)
    assert [rule.get("when") for rule in rules if rule["because"] == "four are enough"] == [None]


def test_a_host_may_spell_names_its_own_way() -> None:
    spelled = rules_of(
        "families: {orca: {prefix: acme/, dots: true}}\n",
        sources=SOURCES,
        models__orca=FAMILY.replace("orca-3-mini*", "orca-3-1*"),
    )
    assert [(rule["when"].get("model"), rule["when"].get("not_model")) for rule in spelled] == [
        (("acme/orca-1*", "acme/*/orca-1*"), None),
        (("acme/orca-2-mini*",), ("acme/orca-2-mini-pro*",)),
        (("acme/orca-1*", "acme/*/orca-1*"), None),
        (("acme/orca-*",), None),
        (("acme/orca-1*", "acme/*/orca-1*", "acme/orca-3.1*"), None),
    ]
