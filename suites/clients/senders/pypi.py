"""What libraries of PyPI sign and verify: reads a list of jobs as JSON, and prints the list of results.

The result of a signing job is an object of headers, that of a verifying job whether the library accepts the post.
"""

import json
import sys
from datetime import datetime, timezone

import gidgethub.sansio
import slack_sdk.signature
import standardwebhooks
import stripe
import svix


def accepts(check):
    """Whether a library accepts: some throw any error for a header that they cannot read."""
    try:
        return check() is not False
    except Exception:
        return False


class Standard:
    """Svix and Standard Webhooks: their headers differ."""

    def __init__(self, start, module):
        self.start, self.module = start, module

    def sign(self, secret, body, id, seconds):
        time = datetime.fromtimestamp(seconds, timezone.utc)
        return {
            f"{self.start}-id": id,
            f"{self.start}-timestamp": str(seconds),
            f"{self.start}-signature": self.module.Webhook(secret).sign(id, time, body),
        }

    def verify(self, secret, body, headers):
        return accepts(lambda: self.module.Webhook(secret).verify(body, headers))


class Stripe:
    def sign(self, secret, body, id, seconds):
        header = stripe.WebhookSignature.generate_signature_header(body, secret, seconds)
        return {"stripe-signature": header}

    def verify(self, secret, body, headers):
        return accepts(
            lambda: stripe.WebhookSignature.verify_header(
                body, headers["stripe-signature"], secret, 300
            )
        )


class Slack:
    def sign(self, secret, body, id, seconds):
        signature = slack_sdk.signature.SignatureVerifier(secret).generate_signature(
            timestamp=str(seconds), body=body
        )
        return {
            "x-slack-request-timestamp": str(seconds),
            "x-slack-signature": signature,
        }

    def verify(self, secret, body, headers):
        verifier = slack_sdk.signature.SignatureVerifier(secret)
        return accepts(lambda: verifier.is_valid_request(body, headers))


class GitHub:
    def verify(self, secret, body, headers):
        return accepts(
            lambda: gidgethub.sansio.validate_event(
                body.encode(), signature=headers["x-hub-signature-256"], secret=secret
            )
        )


libraries = {
    "svix": Standard("svix", svix),
    "standardwebhooks": Standard("webhook", standardwebhooks),
    "stripe": Stripe(),
    "slack_sdk": Slack(),
    "gidgethub": GitHub(),
}

results = [
    getattr(libraries[job["library"]], job["act"])(**job["post"])
    for job in json.load(sys.stdin)
]
print(json.dumps(results))
