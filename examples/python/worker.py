"""A worker of the ledger, in the standard library alone: it claims refunds, has each paid out once, and reports the outcome."""
import http.client, json, os, time, urllib.error, urllib.request

LEDGER = os.environ["TILLGATE_URL"] + "/ledger/v1/refunds"
PROVIDER = os.environ["PROVIDER_URL"] + "/refunds"
KEY = {"Authorization": "Bearer " + os.environ["TILLGATE_LEDGER_KEY"]}


def ask(url, body=None, headers={}):
    """The status and the answer. The status is 0 when no answer came: whatever was asked for may have happened."""
    data = body and json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    try:
        try:
            response = urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as error:
            response = error
        return response.status, json.load(response)
    except (OSError, ValueError, http.client.HTTPException):
        return 0, {}


def tell(path, body):
    """Repeats what was not answered. After a 422 another worker has the refund, or somebody has decided it."""
    while True:
        status, answer = ask(f"{LEDGER}/{path}", body, KEY)
        if 0 < status < 500 and status != 429:
            return answer
        time.sleep(1)


def settle(refund):
    name, claim = refund["id"], {"claim": refund["claim"]["number"]}
    status, found = ask(f"{PROVIDER}?refund={name}")  # A worker that died may have paid it.
    if status != 200 or "error" in tell(f"{name}/extend", {**claim, "lease_seconds": 600}):
        return  # Unknown, or no longer its own: while it waited, another worker was given the refund.
    payout = found["data"][-1] if found["data"] else None
    if payout is None:
        order = {"refund": name, "amount": refund["amount"], "currency": refund["currency"]}
        status, payout = ask(PROVIDER, order, {"Idempotency-Key": name})
        if status == 402:
            return tell(f"{name}/fail", {**claim, "reason": payout["error"]})
        if payout.get("error") in ("no_balance", "unavailable"):
            return tell(f"{name}/release", {**claim, "delay_seconds": 60})
        if status != 200:
            return  # Unknown: it is claimed again when the lease is over.
    said = {**claim, "provider_reference": payout["id"]}
    if payout["status"] == "succeeded":
        return tell(f"{name}/succeed", said)
    if payout["status"] == "pending":
        return tell(f"{name}/extend", {**said, "lease_seconds": 6 * 3600})
    tell(f"{name}/fail", {**said, "reason": payout["failure_reason"] or "The money came back."})


def returned():
    cursor = ""
    while cursor is not None:
        page = ask(f"{PROVIDER}?status=returned{cursor}")[1]
        yield from page.get("data", [])
        cursor = f"&cursor={page['next_cursor']}" if page.get("has_more") else None


while True:
    for refund in tell("claim", {"limit": 10, "lease_seconds": 600})["data"]:
        settle(refund)
    for payout in returned():
        tell(payout["refund"] + "/return", {"reason": "The money came back."})
    time.sleep(1)
