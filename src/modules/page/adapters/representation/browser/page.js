/** Keeps a page true while it is open. Without it the page works too: it then reloads itself, or is told when it posts. */
const { state, watch, waits, expires, origins, onward } = document.body.dataset;

const SOON_MS = 1000;
const LATER_MS = 20_000;
const PATIENT_AFTER = 120;

let looks = 0;
let next;

async function look() {
  clearTimeout(next);
  looks += 1;
  try {
    const response = await fetch(watch, { cache: 'no-store' });
    if (response.ok && (await response.json()).state !== state) return location.reload();
  } catch {
    // Without a network there is nothing to tell; the next look may find one.
  }
  next = setTimeout(look, waits && looks < PATIENT_AFTER ? SOON_MS : LATER_MS);
}

if (watch) {
  next = setTimeout(look, waits ? SOON_MS : LATER_MS);
  const left = Number(expires) * 1000 - Date.now();
  if (left > 0 && left < LATER_MS * 5000) setTimeout(look, left + SOON_MS);
  addEventListener('pageshow', ({ persisted }) => persisted && look());
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look());
}

/** To the page around this one, if it is one of those that may be: the browser delivers to that origin only. */
function tell(type, more) {
  const message = { source: 'tillgate', type, checkout_session: document.body.dataset.session, ...more };
  const around = location.ancestorOrigins?.[0];
  for (const origin of origins.split(' ')) {
    if (around === undefined || around === origin) parent.postMessage(message, origin);
  }
}

if (origins && parent !== window) {
  tell('loaded');
  new ResizeObserver(() => tell('resized', { height: document.documentElement.offsetHeight })).observe(document.body);
  if (waits) tell('processing');
  if (state === 'expired') tell('expired');
  if (state === 'paid') {
    tell('complete', { return_url: onward ?? null });
    // The page around goes on first, if it listens: the shop's page is visited once. A browser that has seen no click in
    // here leaves it to the page around, or to the link.
    const alone = onward && setTimeout(() => open(onward, '_top'), SOON_MS);
    addEventListener('beforeunload', () => clearTimeout(alone));
  }
}
