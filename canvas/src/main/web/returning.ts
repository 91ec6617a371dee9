import { html, nothing, type TemplateResult } from 'lit';
import { needsCount } from './needs';
import { store } from './store';
import { travel } from './travel';
import { works, type Work } from './work';
import { clock, money } from './words';

/** Whoever comes back reads first what became of things since they left. When that was this browser keeps, and nobody else. */

const KEPT = 'molecule.left';
/** Who was away for less has seen it. */
const AWAY_MIN_MILLIS = 10 * 60_000;
const NOTE_MILLIS = 60_000;

/** When the page was looked at last, before now; null on a first visit, after a short while, and once it was read. */
let left: number | null = leftAt();

/** The same, as long as this page is open: the line of time leads there. */
let before: number | null = left;
export const leftBefore = (): number | null => before;

function leftAt(): number | null {
  try {
    const at = Number(localStorage.getItem(KEPT));
    return at > 0 && Date.now() - at > AWAY_MIN_MILLIS ? at : null;
  } catch {
    return null; // a browser that keeps nothing
  }
}

function note(): void {
  try {
    if (store.connection.kind === 'live') localStorage.setItem(KEPT, String(Date.now()));
  } catch {
    // as above
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) note();
  else {
    left ??= leftAt();
    before = left ?? before;
  }
});
addEventListener('pagehide', note);
setInterval(() => {
  if (!document.hidden) note();
}, NOTE_MILLIS);

export function drawReturning(): TemplateResult | typeof nothing {
  if (left === null || store.past || works.state !== 'read') return nothing;
  const since = left;
  const ended = works.list.filter((work) => work.ended_at && Date.parse(work.ended_at) > since);
  const ends = (state: Work['state']): number => ended.filter((work) => work.state === state).length;
  const [done, stopped, failed] = [ends('done'), ends('stopped'), ends('failed')];
  const cost = ended.reduce((sum, work) => sum + (work.cost ?? 0), 0);
  const needs = needsCount();
  const told = [
    done ? `${done} done` : '',
    failed ? `${failed} failed` : '',
    stopped ? `${stopped} stopped` : '',
    needs ? `${needs} ${needs === 1 ? 'waits' : 'wait'} for you` : '',
    cost ? money(cost) : '',
  ].filter((part) => part);
  if (!told.length) return nothing;
  const close = (): void => {
    left = null;
    store.changed();
  };
  return html`<div class="returning">
    <p>Since ${dayOf(since)}${clock(since, since)}: ${told.join(', ')}.</p>
    <div class="buttons"><button @click=${() => { close(); void travel.go(since); }}>How it was then</button><button aria-label="Close what happened since you left" @click=${close}>Close</button></div>
  </div>`;
}

function dayOf(at: number): string {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0) return '';
  return days === 1 ? 'yesterday ' : `${new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} `;
}
