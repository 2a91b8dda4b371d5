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
            response = urllib.request.urlopen(request, timeout=20)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            return response.status, json.load(response)
    except (OSError, ValueError, http.client.HTTPException):
        return 0, {}


def tell(path, body):
    """Repeats what was not answered. After a 422 another worker has the refund, or somebody has decided it."""
    status, answer = ask(f"{LEDGER}/{path}", body, KEY)
    while status == 0 or status == 429 or status >= 500:
        time.sleep(1)
        status, answer = ask(f"{LEDGER}/{path}", body, KEY)
    return answer


def settle(refund):
    name, claim = refund["id"], {"claim": refund["claim"]["number"]}
    # Whatever happened before, also to a worker that died: what the provider has is not paid again.
    status, found = ask(f"{PROVIDER}?refund={name}")
    if status != 200:
        return
    payout = (found["data"] or [None])[-1]
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


while True:
    claimed = tell("claim", {"limit": 1})["data"]
    if claimed:
        settle(claimed[0])
        continue
    for payout in ask(f"{PROVIDER}?status=returned")[1].get("data", []):
        tell(payout["refund"] + "/return", {"reason": "The money came back."})
    time.sleep(1)
