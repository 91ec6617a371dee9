import { LitElement, type TemplateResult } from 'lit';
import { store } from './store';

/** What the person looks at. Not kept anywhere but in the address: `#<id>` is a link to an agent, `#work=<id>` to a piece of work, `?at=<time>` to a moment. */
export interface View {
  screen: 'map' | 'list' | 'work';
  selected: string | null;
  /** The piece of work that is open; none is the list of them. */
  work: string | null;
  tab: Tab;
  query: string;
  /** Whom the composer speaks to; the first root while nobody was chosen. */
  talkTo: string | null;
  drafts: Map<string, string>;
  /** Teams a person folded or opened here, over what is kept for all. */
  folded: Map<string, boolean>;
  dialog: { kind: 'move' | 'delete' | 'help' | 'add' | 'ask'; id: string } | null;
  toast: { text: string; undo: (() => void) | null } | null;
}

export type Tab = 'talk' | 'work' | 'about' | 'inside';

const WIDE_SCREEN = matchMedia('(max-width: 720px)').matches ? 'list' : 'map';

type Place = Pick<View, 'screen' | 'selected' | 'work'>;

/** What the address names. */
function placeOf(hash: string): Place {
  const named = hash.slice(1);
  if (named === 'work' || named.startsWith('work=')) return { screen: 'work', selected: null, work: named.slice('work='.length) || null };
  return { screen: WIDE_SCREEN, selected: named || null, work: null };
}

/** What names it; the moment is kept by whoever moves in time. */
function addressOf(place: Place): string {
  const named = place.screen === 'work' ? (place.work ? `#work=${place.work}` : '#work') : place.selected ? `#${place.selected}` : '';
  return location.pathname + location.search + named;
}

export const view: View = {
  ...placeOf(location.hash),
  tab: 'talk',
  query: '',
  talkTo: null,
  drafts: new Map(),
  folded: new Map(),
  dialog: null,
  toast: null,
};

export function look(change: Partial<View>): void {
  Object.assign(view, change);
  if ('selected' in change || 'work' in change || 'screen' in change) history.replaceState(null, '', addressOf(view));
  store.changed();
}

addEventListener('hashchange', () => {
  Object.assign(view, placeOf(location.hash));
  store.changed();
});

let toastEnd = 0;

export function toast(text: string, undo: (() => void) | null = null): void {
  clearTimeout(toastEnd);
  toastEnd = window.setTimeout(() => look({ toast: null }), undo ? 10_000 : 6_000);
  look({ toast: { text, undo } });
}

/** An element that is drawn anew when the store or the view changed. Its markup is part of the page, so labels reach across. */
export abstract class Part extends LitElement {
  private quiet: () => void = () => {};

  override connectedCallback(): void {
    super.connectedCallback();
    this.quiet = store.listen(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.quiet();
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  abstract override render(): TemplateResult | TemplateResult[] | symbol;
}
