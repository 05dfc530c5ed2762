"""What `npm run fuzz` lets pass, and why. Everything else that a check of Schemathesis finds is a failure."""

import os
import re

import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

LIST_WITH_CURSOR = "getProjectsIdTrackers"

ALTERNATIVES = "OpenAPI cannot say that of two parameters or members one is allowed."
BYTES = "OpenAPI knows lengths in characters, not in bytes."
DATA = "The values that are allowed depend on the data of the platform."
LANGUAGE = "The text is in a language of its own, or JSON whose members the route names."

# Valid by the schemas, and refused: (message, reason).
REFUSED = [
    (r"is not allowed together with|cannot stand beside|needs values=all|needs representation=minimal|is required, unless|There is no value; name a field|is given twice|either as of a|Give exactly one|in the same way|needs an email, a user or", ALTERNATIVES),
    (r"cursor does not belong to this list", "A cursor is signed. Only one that the service gave out is valid."),
    (r"This user has no such token", "A token is signed. Only one that the service gave out to the user is valid."),
    (r"must look like self or 101", "The tool takes the name of a user for an id."),
    (r"must have at least 3 characters", "Spaces around the text do not count."),
    (r"must be in the future", "The clock decides."),
    (r"is not valid Base64|is not JSON|must be a JSON object|has no member|is not an email address|is given more than once|expert_query, line|Criterion for|/settings/access_file line", LANGUAGE),
    (r"Unknown field|^/values|gets no mail|does not use svn|does not take|may be \d+ at most|must name exactly one user|do(es)? not exist|does not fit its tracker as you see it", DATA),
    (r"at most [\d,]+ bytes|longer than [\d,]+ bytes", BYTES),
    (r"control character|holds \. or \.\. as a step", LANGUAGE),
    (r"is the number of the next chunk|Only the members of a project and of its own groups", DATA),
]

# Invalid by the schemas, and accepted: (condition, reason).
ACCEPTED = [
    (
        lambda case: case.body is None,
        "Some clients send null for a body that they leave out. Where one is required, null is refused.",
    ),
    (
        lambda case: case.path == "/trackers/{id}/artifacts" and case.body == [],
        "Some clients write an empty object as an empty list.",
    ),
    (
        lambda case: (case.method, case.path) == ("POST", "/artifacts")
        and isinstance(case.body, dict)
        and case.body.get("values_by_field") == [],
        "Some clients write an empty object as an empty list.",
    ),
]


def said(response):
    """The message and the details of a refusal."""
    error = (response.json() or {}).get("error", {}) if response.content else {}
    details = [f"{each['pointer']} {each['message']}" for each in error.get("details", [])]
    return "\n".join([error.get("message", ""), *details])


@schemathesis.check
def valid_data_is_accepted(ctx, response, case):
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure:
        if any(re.search(message, said(response), re.MULTILINE) for message, _ in REFUSED):
            return None
        raise


@schemathesis.check
def invalid_data_is_refused(ctx, response, case):
    try:
        return negative_data_rejection(ctx, response, case)
    except Failure:
        if any(is_excepted(case) for is_excepted, _ in ACCEPTED):
            return None
        raise


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """
    The access key is the one way to sign in: wrong passwords would be throttled. A request with an invented cursor is
    refused, and reaches nothing else: one list keeps the parameter. A link from the first item of a page leads nowhere
    when the page is empty, which the tool takes for an error.
    """
    for item in raw_schema["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict):
                ways = operation["security"]
                for response in operation["responses"].values():
                    for name, link in list(response.get("links", {}).items()):
                        if "/0/" in str(link["parameters"]):
                            del response["links"][name]
                operation["security"] = [way for way in ways if way == {} or "accessKey" in way]
                operation["parameters"] = [
                    each
                    for each in operation["parameters"]
                    if each["name"] != "cursor" or operation["operationId"] == LIST_WITH_CURSOR
                ]


@schemathesis.serializer("application/offset+octet-stream")
def as_bytes(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """The key of the run stays. The tool takes ids of answers for the header X-Request-Id, as numbers."""
    own = os.environ["ACCESS_KEY"].removeprefix("tlp-k1-").split(".")[0]
    if (case.method, case.path) == ("DELETE", "/access_keys/{id}") and str(case.path_parameters["id"]) == own:
        case.path_parameters["id"] = 999999
    for name, value in (case.headers or {}).items():
        if isinstance(value, int):
            case.headers[name] = str(value)
