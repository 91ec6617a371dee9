// Presses whatever can be pressed: arguments are the places, each a link and a tab, and what is called at the end with the words that were pressed.
const [given, done] = arguments;
const rest = (millis) => new Promise((over) => setTimeout(over, millis));
const pressed = [];

/** Whatever a press asked of the platform was answered, and what came of it is drawn. */
let pending = 0;
const fetching = window.fetch;
window.fetch = (...asked) => {
  pending++;
  return fetching(...asked).finally(() => pending--);
};
async function calm() {
  do await rest(15);
  while (pending);
  await new Promise(requestAnimationFrame);
}
const FILL = { number: '1', email: 'kim@example.org', url: 'https://example.org/hook', time: '08:00', 'datetime-local': '2030-01-02T03:04', password: 'a-long-enough-word', text: 'x' };

/** What was pressed already is told by its words and where it stands. */
const known = new Set();
const nameOf = (one) => `${one.closest('section')?.className ?? ''} ${one.getAttribute('aria-label') ?? one.textContent}`.trim().replace(/\s+/g, ' ').replace(/\d+/g, '0');

/** What shuts a question is pressed after all that is in it. */
const shuts = (one) => /^(Close|Cancel|Keep|Leave it|Done|Save)$/.test(one.textContent.trim()) && !!one.closest('dialog');
const within = (root) => [...root.querySelectorAll('button, summary')].filter((one) => one.checkVisibility() && !one.matches(':disabled') && !one.matches('.leave')).sort((a, b) => shuts(a) - shuts(b));

/** What is the same on every screen is pressed once. */
const regionOf = (one) => one.closest('header.top, aside, time-bar, .ask, organisation-map')?.localName ?? '';

function fill(root) {
  for (const one of root.querySelectorAll('input[required], textarea, input[name=secret]')) {
    if (one.disabled || one.value || one.type === 'file') continue;
    one.value = one.name === 'url' && one.type !== 'url' ? 'smtps://mail.example.org:465' : one.minLength > 1 ? 'long-enough-to-be-one' : FILL[one.type] ?? 'x';
    one.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

const isThere = ([link, tab]) => location.hash === (link && `#${link}`) && !document.querySelector('dialog[open]') && (!tab || !!document.querySelector(`#tab-${tab}[aria-selected=true]`));

async function come(place) {
  const [link, tab] = place;
  document.querySelector('dialog[open]')?.close();
  if (location.hash !== (link && `#${link}`)) {
    location.hash = link;
    await rest(40);
  }
  if (tab && !isThere(place)) {
    document.getElementById('tab-' + tab)?.click();
    await rest(40);
  }
  for (const one of document.querySelectorAll('main details, agent-panel details')) one.open = true;
  await rest(40);
}

/** @param stays whether it is still where it was; @returns whether it is not */
async function pressIn(root, where, stays) {
  for (let found = true; ; ) {
    fill(root);
    const next = within(root).map((one) => [one, `${where.startsWith('dialog') ? where : regionOf(one) || where} ${nameOf(one)}`]).find(([, key]) => !known.has(key));
    if (!next && !found) return false;
    found = !!next;
    if (!next) {
      await rest(300); // what was just sent may have switched off the rest for a moment
      continue;
    }
    known.add(next[1]);
    pressed.push(next[1]);
    const asks = /…$/.test(next[0].textContent.trim()) || !!next[0].closest('header.top, .doors');
    next[0].click();
    await calm();
    if (asks) await rest(160); // a page that draws slowly rests that long before the question
    if (!stays()) return true;
  }
}

(async () => {
  for (const place of JSON.parse(given)) {
    for (let more = true; more; ) {
      await come(place);
      more = await pressIn(document.querySelector('molecule-app'), `${place}`, () => isThere(place));
      const dialog = document.querySelector('dialog[open]');
      if (dialog) await pressIn(dialog, `dialog ${dialog.querySelector('h2')?.textContent}`, () => dialog.open);
    }
  }
  done(JSON.stringify(pressed));
})().catch((failure) => done(String(failure)));
