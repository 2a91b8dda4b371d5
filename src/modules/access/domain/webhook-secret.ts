/**
 * Makes a secret that signs webhooks (Standard Webhooks 1.0.0). It has 32 random bytes; the
 * specification asks for 24 to 64.
 */
export function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
