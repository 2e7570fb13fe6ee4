"""Decides on refunds that a shop's webhook asks for: small ones by itself, larger ones with a person."""

from runfleet import interrupt, step

ALONE_UP_TO = 50


@step
def pay_back(step, order, amount):
    """Here you call your payment provider, with the key by which it tells a repeat."""
    return {"order": order, "paid_back": amount, "idempotency_key": step.idempotency_key}


def main(order: str, amount: float, reason: str = ""):
    print(f"A refund of {amount} for order {order} is asked for.")
    if amount > ALONE_UP_TO:
        answer = interrupt(
            f"Refund {amount} EUR for order {order}?\n\nThe customer writes: {reason}",
            response_schema={
                "type": "object",
                "required": ["approved"],
                "properties": {
                    "approved": {"type": "boolean", "title": "Pay it back?"},
                    "amount": {"type": "number", "title": "Another amount", "minimum": 0, "maximum": amount},
                },
            },
        )
        if not answer["approved"]:
            return {"order": order, "paid_back": 0}
        amount = answer.get("amount", amount)
    return pay_back(order, amount)
