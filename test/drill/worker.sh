#!/usr/bin/env bash
# This worker of the ledger uses bash, curl and jq.
set -u
ledger=$TILLGATE_URL/ledger/v1/refunds
provider=$PROVIDER_URL/refunds

# ask <url> [<body> [<header>]] sets status and answer. The status is 000 when no answer came.
ask() {
  answer=$(curl -s -m 5 -w '\n%{http_code}' -H 'content-type: application/json' ${3:+-H "$3"} ${2:+-d "$2"} "$1")
  status=${answer##*$'\n'} answer=${answer%$'\n'*}
}

# Repeats a request that was not answered.
tell() {
  while ask "$ledger$1" "$2" "authorization: Bearer $TILLGATE_LEDGER_KEY"; [[ $status =~ ^(000|429|5..)$ ]]; do sleep 1; done
}

report() { # <id> <claim> <payout>
  local payout_status said
  read -r payout_status said < <(jq -r --argjson claim "$2" '"\(.status) \({ claim: $claim, provider_reference: .id })"' <<<"$3")
  case $payout_status in
    succeeded) tell "/$1/succeed" "$said" ;;
    pending) tell "/$1/extend" "$(jq -c '. + { lease_seconds: 21600 }' <<<"$said")" ;;
    *) tell "/$1/fail" "$(jq -c --arg reason "$payout_status" '. + { reason: $reason }' <<<"$said")" ;;
  esac
}

settle() { # <id> <claim> <order>
  local payout
  ask "$provider?refund=$1"
  [[ $status = 200 ]] || return
  payout=$(jq -c '.data[-1] // empty' <<<"$answer")
  if [[ -z $payout ]]; then
    tell "/$1/extend" "{\"claim\":$2,\"lease_seconds\":600}"
    [[ $status = 200 ]] || return
    ask "$provider" "$3" "idempotency-key: $1"
    case "$status $answer" in
      "200 "*) payout=$answer ;;
      "402 "*) tell "/$1/fail" "{\"claim\":$2,\"reason\":\"declined\"}"; return ;;
      *'"no_balance"'* | *'"unavailable"'*) tell "/$1/release" "{\"claim\":$2,\"delay_seconds\":60}"; return ;;
      *) return ;;
    esac
  fi
  report "$1" "$2" "$payout"
}

while :; do
  tell /claim '{"limit":10,"lease_seconds":600}'
  while read -r id claim order; do settle "$id" "$claim" "$order"; done \
    < <(jq -r '.data[] | "\(.id) \(.claim.number) \({ refund: .id, amount, currency })"' <<<"$answer")
  ask "$provider?status=returned"
  if [[ $status = 200 ]]; then
    for id in $(jq -r '.data[].refund' <<<"$answer"); do tell "/$id/return" '{}'; done
  fi
  sleep 0.3
done
