import { LitElement, type TemplateResult } from 'lit';
import { store } from './store';

/** What the person looks at. Not kept anywhere but in the address: `#<id>` is a link to an agent. */
export interface View {
  screen: 'map' | 'list';
  selected: string | null;
  tab: 'talk' | 'about';
  query: string;
  /** Whom the composer speaks to; the first root while nobody was chosen. */
  talkTo: string | null;
  drafts: Map<string, string>;
  /** Teams a person folded or opened here, over what is kept for all. */
  folded: Map<string, boolean>;
  dialog: { kind: 'move' | 'delete' | 'help'; id: string } | null;
  toast: { text: string; undo: (() => void) | null } | null;
}

export const view: View = {
  screen: matchMedia('(max-width: 720px)').matches ? 'list' : 'map',
  selected: location.hash.slice(1) || null,
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
  if ('selected' in change) history.replaceState(null, '', view.selected ? `#${view.selected}` : location.pathname);
  store.changed();
}

addEventListener('hashchange', () => look({ selected: location.hash.slice(1) || null }));

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
