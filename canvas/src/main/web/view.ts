import { LitElement, html, type TemplateResult } from 'lit';
import type { ChatFile } from './chatfiles';
import { download, says } from './api';
import { store } from './store';

/** What the person looks at. Not kept anywhere but in the address: `#<id>` is a link to an agent, `#work=<id>` to a piece of work, `#needs=<id>` to one thing that waits for somebody, `#platform` to the platform itself, `#house` to its house rules, `?at=<time>` to a moment. */
export interface View {
  screen: 'map' | 'list' | 'work' | 'needs' | 'house' | 'platform';
  selected: string | null;
  /** The piece of work that is open; none is the list of them. */
  work: string | null;
  /** The one thing that waits for somebody and is looked at alone; none is all of them. */
  waits: string | null;
  tab: Tab;
  query: string;
  /** Whom the composer speaks to; the first root while nobody was chosen. */
  talkTo: string | null;
  drafts: Map<string, string>;
  /** What goes along with a draft, by the agent. */
  attached: Map<string, ChatFile[]>;
  /** Teams a person folded or opened here, over what is kept for all. */
  folded: Map<string, boolean>;
  /** `to`: of a move, the team it was dropped on; null is out of all teams. */
  dialog: { kind: 'move' | 'delete' | 'help' | 'add' | 'ask' | 'names' | 'costs' | 'cutoff'; id: string; to?: string | null } | null;
  toast: { text: string; undo: (() => void) | null } | null;
}

export type Tab = 'talk' | 'work' | 'about' | 'inside';

const WIDE_SCREEN = matchMedia('(max-width: 720px)').matches ? 'list' : 'map';

type Place = Pick<View, 'screen' | 'selected' | 'work' | 'waits'>;

const PLACE = ['screen', 'selected', 'work', 'waits'] as const;

const placeIn = ({ screen, selected, work, waits }: Place): Place => ({ screen, selected, work, waits });

/** What the address names. */
function placeOf(hash: string): Place {
  const named = hash.slice(1);
  const nothing = { selected: null, work: null, waits: null };
  if (named === 'work' || named.startsWith('work=')) return { ...nothing, screen: 'work', work: named.slice('work='.length) || null };
  if (named === 'needs' || named.startsWith('needs=')) return { ...nothing, screen: 'needs', waits: named.slice('needs='.length) || null };
  if (named === 'platform' || named === 'house') return { ...nothing, screen: named };
  return { ...nothing, screen: WIDE_SCREEN, selected: named.includes('=') ? null : named || null };
}

/** What names it; the moment is kept by whoever moves in time. */
function addressOf(place: Place): string {
  const { screen, selected } = place;
  const one = screen === 'work' ? place.work : place.waits;
  const named = screen === 'platform' || screen === 'house' ? `#${screen}` : screen === 'work' || screen === 'needs' ? `#${screen}${one ? `=${one}` : ''}` : selected ? `#${selected}` : '';
  return location.pathname + location.search + named;
}

export const view: View = {
  ...placeOf(location.hash),
  tab: 'talk',
  query: '',
  talkTo: null,
  drafts: new Map(),
  attached: new Map(),
  folded: new Map(),
  dialog: null,
  toast: null,
};

export function look(change: Partial<View>): void {
  const before = placeIn(view);
  Object.assign(view, change);
  const place = placeIn(view);
  if (PLACE.some((name) => place[name] !== before[name])) history.pushState(place, '', addressOf(place));
  store.changed();
}

/** What Back and Forward go between, and what a typed address names; the moment that is looked at stays. */
function goBack(state: unknown): void {
  Object.assign(view, (state as Place | null)?.screen ? placeIn(state as Place) : placeOf(location.hash), { dialog: null });
  const search = new URLSearchParams(location.search);
  if (store.past) search.set('at', new Date(store.now).toISOString().replace('.000', ''));
  else search.delete('at');
  const query = search.toString().replaceAll('%3A', ':');
  history.replaceState(history.state, '', location.pathname + (query ? `?${query}` : '') + location.hash);
  store.changed();
}

addEventListener('popstate', (event) => goBack(event.state));

let toastEnd = 0;

export function toast(text: string, undo: (() => void) | null = null): void {
  clearTimeout(toastEnd);
  toastEnd = window.setTimeout(() => look({ toast: null }), undo ? 10_000 : 6_000);
  look({ toast: { text, undo } });
}

/** Of a link to a file of an agent's: the page fetches it, since a link alone shows only half of the session. */
export function saves(event: Event): void {
  event.preventDefault();
  const link = event.currentTarget as HTMLAnchorElement;
  void download(link.getAttribute('href')!, link.download).catch((failure: unknown) => toast(says(failure)));
}

/** For a colleague, who then sees the same picture. */
export function copyLink(hash = location.hash): void {
  const link = location.origin + location.pathname + location.search + hash;
  const shown = (): void => toast(link); // where the page may not write there, as over plain HTTP from another machine
  if (navigator.clipboard) void navigator.clipboard.writeText(link).then(() => toast('Copied.'), shown);
  else shown();
}

/** One that cannot be drawn says so in its place, and takes no other along. */
export function section(draw: () => TemplateResult): TemplateResult {
  try {
    return draw();
  } catch (failure) {
    report(failure);
    return html`<section><p class="none">This section cannot be shown: ${says(failure)}. Reload the page; the command line shows the same data.</p></section>`;
  }
}

/** After a drawing that failed: at every frame it would only fail again. */
const FAILED_REST_MILLIS = 1_000;
/** So many different failures are said once each in the browser's log, and no more. */
const REPORTED_MAX = 50;
const reported = new Set<string>();

function report(failure: unknown): void {
  const words = failure instanceof Error ? `${failure.message} ${failure.stack ?? ''}` : String(failure);
  if (reported.has(words) || reported.size >= REPORTED_MAX) return;
  reported.add(words);
  console.error(failure);
  // Not while an element is being drawn.
  queueMicrotask(() => toast('Part of this page cannot be shown. Reload the page if it stays so.'));
}

/** An element that is drawn anew when the store or the view changed. Its markup is part of the page, so labels reach across. */
export abstract class Part extends LitElement {
  private quiet: () => void = () => {};
  private rests = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    this.quiet = store.listen(() => {
      if (!this.rests) this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.quiet();
  }

  /** A drawing that fails leaves what was drawn before, is said once, and is tried again a second later. */
  protected override performUpdate(): void {
    try {
      super.performUpdate();
    } catch (failure) {
      report(failure);
      this.rests ||= window.setTimeout(() => {
        this.rests = 0;
        this.requestUpdate();
      }, FAILED_REST_MILLIS);
    }
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  abstract override render(): TemplateResult | TemplateResult[] | symbol;
}
