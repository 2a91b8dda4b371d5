/**
 * Reloads the page when its state changes. Without the script, a waiting page reloads itself by a
 * meta refresh.
 */
const { state, watch, waits, patience, expires, origins } = document.body.dataset;

const SOON_MS = 1000;
const LATER_MS = 20_000;
const PATIENT_AFTER = 120;

/** A tab of a customer who has left to pay soon follows another tab that pays. */
const isSoon = waits || state === 'being_paid';
const opened = Date.now();
let polls = 0;
let next;

async function poll() {
  clearTimeout(next);
  polls += 1;
  if (patience && Date.now() - opened >= patience * 1000)
    return location.replace(`?waited=${patience}`);
  try {
    const response = await fetch(watch, { cache: 'no-store' });
    if (response.ok && (await response.json()).state !== state) return location.reload();
  } catch {
    // The network may be back at the next poll.
  }
  next = setTimeout(poll, isSoon && polls < PATIENT_AFTER ? SOON_MS : LATER_MS);
}

if (watch) {
  next = setTimeout(poll, isSoon ? SOON_MS : LATER_MS);
  const left = Number(expires) * 1000 - Date.now();
  if (left > 0 && left < LATER_MS * 5000) setTimeout(poll, left + SOON_MS);
  addEventListener('pageshow', ({ persisted }) => persisted && poll());
  document.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'visible' && poll(),
  );
}

/**
 * Sends a message to the embedding page. The browser delivers it only if that page has one of the
 * allowed origins.
 */
function tell(type, more) {
  const message = {
    source: 'tillgate',
    type,
    checkout_session: document.body.dataset.session,
    ...more,
  };
  const around = location.ancestorOrigins?.[0];
  for (const origin of origins.split(' ')) {
    if (around === undefined || around === origin) parent.postMessage(message, origin);
  }
}

if (origins && parent !== window) {
  tell('loaded');
  new ResizeObserver(() =>
    tell('resized', { height: document.documentElement.offsetHeight }),
  ).observe(document.body);
  if (waits || state === 'awaited') tell('processing');
  if (state === 'expired') tell('expired');
  if (state === 'paid') {
    const onward = document.querySelector('a.button')?.href;
    tell('complete', { return_url: onward ?? null });
    // The embedding page navigates first, if it listens, so that the shop's page is visited once. A
    // browser blocks this navigation if the customer has not clicked inside the frame; then the
    // embedding page or the link navigates.
    const alone = onward && setTimeout(() => open(onward, '_top'), SOON_MS);
    addEventListener('beforeunload', () => clearTimeout(alone));
  }
}
