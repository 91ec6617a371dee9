import { html, nothing, type TemplateResult } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import { bulk } from './bulk';
import { census, foundNow } from './census';
import { factsOf, spoken } from './facts';
import './list.css';
import type { Agent } from './model';
import type { Tree } from './organisation';
import { repeat } from './repeat';
import { see } from './sight';
import { store } from './store';
import { Part, look, view } from './view';
import { count, runsOn, type Mood } from './words';

/** Leaves room for the rows that are not in the page; through its style object, for the page's policy refuses attributes of style. */
class Padded extends Directive {
  override update(part: ElementPart, [above, below]: [number, number]): void {
    const style = (part.element as HTMLElement).style;
    style.paddingTop = above ? `${above}px` : '';
    style.paddingBottom = below ? `${below}px` : '';
  }

  override render(..._room: [number, number]): void {}
}
const padded = directive(Padded);

interface Row {
  agent: Agent;
  level: number;
  below: number;
  open: boolean;
  position: number;
  siblings: number;
}

/** Above so many only what is near the window is in the page. */
const ALL_MAX = 100;
/** Rows above and below the window. */
const MARGIN = 6;
/** Below so many nobody sorts. */
const SORTED_MIN = 25;

type Order = 'place' | 'urgency' | 'time' | 'cost' | 'name';

const ORDERS: Record<Order, string> = { place: 'by team', urgency: 'who needs you first', time: 'longest at it', cost: 'most spent', name: 'by name' };

const URGENCY: Mood[] = ['needs', 'failed', 'doubt', 'working', 'away', 'idle', 'paused', 'asleep'];

const COMPARE: Record<Exclude<Order, 'place'>, (a: Agent, b: Agent) => number> = {
  urgency: (a, b) => urgency(a) - urgency(b) || (a.since ?? Infinity) - (b.since ?? Infinity),
  time: (a, b) => busy(b) - busy(a) || (a.since ?? Infinity) - (b.since ?? Infinity),
  cost: (a, b) => b.monthly_spend - a.monthly_spend,
  name: (a, b) => a.name.localeCompare(b.name),
};

const urgency = (agent: Agent): number => URGENCY.indexOf(census().moods.get(agent.id)!);
const busy = (agent: Agent): number => Number(census().moods.get(agent.id) === 'working');

/** The whole organisation as a tree: every fact of the map, in words. Sorted otherwise it is one row after the other. */
class OrganisationList extends Part {
  private rows: Row[] = [];
  private focused: string | null = null;
  private order: Order = 'place';
  /** Rows above the window, how many are in it, and how high one is, as last measured. */
  private above = 0;
  private inside = 24;
  private rowPixels = 44;
  private searched = '';
  private readonly scrolled = (): void => this.measure();

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('scroll', this.scrolled, { capture: true, passive: true });
    addEventListener('resize', this.scrolled);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('scroll', this.scrolled, { capture: true });
    removeEventListener('resize', this.scrolled);
  }

  override render(): TemplateResult {
    const { org, now } = store;
    const { tree } = census();
    const found = foundNow();
    if (this.searched !== view.query) {
      this.searched = view.query;
      bulk.forget();
    }
    this.rows = [];
    if (this.order === 'place') this.collect(tree, tree.roots, 1, found && this.withLeaders(found));
    else this.sort(this.order, found);
    const hidden = org.agents.size - this.rows.length;
    const tabStop = [this.focused, view.selected].find((id) => this.rows.some((row) => row.agent.id === id)) ?? this.rows[0]?.agent.id;
    const all = this.rows.length <= ALL_MAX;
    const first = all ? 0 : Math.max(0, Math.min(this.above - MARGIN, this.rows.length - this.inside - 2 * MARGIN));
    const shown = all ? this.rows : this.rows.slice(first, first + this.inside + 2 * MARGIN);
    see(shown.map((row) => row.agent.id));
    return html`
      ${org.agents.size >= SORTED_MIN ? this.drawTools(found) : nothing}
      <div class="scroll">
        <div class="tree" role="tree" aria-label="Everybody in the organisation" @keydown=${this.keys} ${padded(first * this.rowPixels, (this.rows.length - first - shown.length) * this.rowPixels)}>
          ${repeat(
            shown,
            (row) => row.agent.id,
            (row) => this.drawRow(row, now, row.agent.id === tabStop),
          )}
        </div>
        ${hidden > 0 ? html`<p class="hidden-count">${count(hidden, 'agent')} not shown: ${view.query ? 'no match' : 'in folded teams'}.</p>` : nothing}
      </div>
    `;
  }

  private drawTools(found: Set<string> | null): TemplateResult {
    return html`
      <div class="tools">
        <label>Sort <select @change=${(event: Event) => { this.order = (event.target as HTMLSelectElement).value as Order; this.requestUpdate(); }}>
          ${Object.entries(ORDERS).map(([order, words]) => html`<option value=${order} .selected=${order === this.order}>${words}</option>`)}
        </select></label>
        ${found
          ? html`<span class="buttons" role="group" aria-label="All that were found">${bulk.draw([...found].map((id) => store.org.agents.get(id)!))}</span>`
          : html`<span class="none">Search, for example <code>failed</code> or <code>working · cost &gt; $1</code>, to do something to all that fit.</span>`}
      </div>
    `;
  }

  /** Which rows are in the window now. */
  private measure(): void {
    if (this.rows.length <= ALL_MAX) return;
    const tree = this.querySelector<HTMLElement>('.tree');
    const row = tree?.querySelector<HTMLElement>('.row');
    if (!tree || !row) return;
    this.rowPixels = row.offsetHeight || this.rowPixels;
    const window = this.getBoundingClientRect();
    const top = Math.max(0, window.top);
    const above = Math.max(0, Math.floor((top - tree.getBoundingClientRect().top) / this.rowPixels));
    const inside = Math.ceil((Math.min(innerHeight, window.bottom) - top) / this.rowPixels) + 1;
    if (Math.abs(above - this.above) < MARGIN / 2 && inside === this.inside) return;
    this.above = above;
    this.inside = inside;
    this.requestUpdate();
  }

  protected override updated(): void {
    this.measure();
  }

  /** Those that were found, and those above them. */
  private withLeaders(found: Set<string>): Set<string> {
    const wanted = new Set<string>();
    for (const id of found) {
      for (let up = store.org.agents.get(id); up && !wanted.has(up.id); up = store.org.agents.get(up.parent_id ?? '')) wanted.add(up.id);
    }
    return wanted;
  }

  private collect(tree: Tree, agents: Agent[], level: number, wanted: Set<string> | null): void {
    const seen = wanted ? agents.filter((agent) => wanted.has(agent.id)) : agents;
    const { below } = census();
    seen.forEach((agent, i) => {
      const open = wanted !== null || !(view.folded.get(agent.id) ?? agent.collapsed);
      this.rows.push({ agent, level, below: below.get(agent.id)?.agents ?? 0, open, position: i + 1, siblings: seen.length });
      if (open) this.collect(tree, tree.childrenOf.get(agent.id) ?? [], level + 1, wanted);
    });
  }

  private sort(order: Exclude<Order, 'place'>, found: Set<string> | null): void {
    const agents = [...store.org.agents.values()].filter((agent) => !found || found.has(agent.id)).sort(COMPARE[order]);
    this.rows = agents.map((agent, i) => ({ agent, level: 1, below: 0, open: false, position: i + 1, siblings: agents.length }));
  }

  private drawRow(row: Row, now: number, tabStop: boolean): TemplateResult {
    const { agent } = row;
    const facts = factsOf(store.org, agent, now);
    return html`
      <div
        class="row level${Math.min(row.level, 8)} mood-${facts.mood} ${view.selected === agent.id ? 'chosen' : ''}"
        role="treeitem"
        data-id=${agent.id}
        tabindex=${tabStop ? 0 : -1}
        aria-level=${row.level}
        aria-posinset=${row.position}
        aria-setsize=${row.siblings}
        aria-expanded=${row.below ? (row.open ? 'true' : 'false') : nothing}
        aria-selected=${view.selected === agent.id ? 'true' : 'false'}
        aria-label="${spoken(facts)}, ${runsOn(agent.runtime)}${row.below ? ', ' + row.below + ' below' : ''}"
        @click=${(event: Event) => this.choose(agent, event)}
        @focus=${() => (this.focused = agent.id)}
      >
        <span class="lead"><span class="twist" data-fold=${row.below ? agent.id : nothing} aria-hidden="true">${row.below ? (row.open ? '▾' : '▸') : ''}</span>
          <span class="glyph" aria-hidden="true">${facts.glyph}</span>
          <span class="who"><span class="name" dir="auto">${facts.name}</span> <span class="role" dir="auto">${facts.role}</span></span></span>
        <span class="now" dir="auto">${facts.now}</span>
        <span class="time">${facts.time}</span>
        <span class="runs">${runsOn(agent.runtime)}</span>
        <span class="spend">${facts.spend}</span>
      </div>
    `;
  }

  private choose(agent: Agent, event: Event): void {
    if ((event.target as Element).closest('[data-fold]')) this.toggle(agent.id);
    else look({ selected: agent.id, talkTo: agent.id });
  }

  private toggle(id: string, open?: boolean): void {
    const agent = store.org.agents.get(id);
    const folded = view.folded.get(id) ?? agent?.collapsed ?? false;
    view.folded.set(id, open === undefined ? !folded : !open);
    store.changed();
  }

  /** Brings a row into the window where it is not, and there the focus. */
  private async reach(row: Row): Promise<void> {
    const find = () => this.querySelector<HTMLElement>(`[data-id="${CSS.escape(row.agent.id)}"]`);
    if (!find()) {
      const i = this.rows.findIndex((other) => other.agent.id === row.agent.id);
      const place = i * this.rowPixels - Math.max(0, this.getBoundingClientRect().top - (this.querySelector('.tree')?.getBoundingClientRect().top ?? 0));
      const scrolls = this.scrollHeight > this.clientHeight + 1;
      if (scrolls) this.scrollTop += place - this.clientHeight / 2;
      else scrollBy({ top: place });
      this.measure();
      await this.updateComplete;
    }
    find()?.focus();
  }

  private readonly keys = (event: KeyboardEvent): void => {
    const i = this.rows.findIndex((row) => row.agent.id === (event.target as HTMLElement).dataset['id']);
    const row = this.rows[i];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const go = (to: Row | undefined) => to && void this.reach(to);
    const parent = () => this.rows.slice(0, i).reverse().find((other) => other.level < row.level);
    const keys: Record<string, () => unknown> = {
      ArrowDown: () => go(this.rows[i + 1]),
      ArrowUp: () => go(this.rows[i - 1]),
      Home: () => go(this.rows[0]),
      End: () => go(this.rows.at(-1)),
      ArrowRight: () => (row.below && !row.open ? this.toggle(row.agent.id, true) : row.below && go(this.rows[i + 1])),
      ArrowLeft: () => (row.below && row.open ? this.toggle(row.agent.id, false) : go(parent())),
      Enter: () => look({ selected: row.agent.id, talkTo: row.agent.id }),
      ' ': () => look({ selected: row.agent.id, talkTo: row.agent.id }),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
}

customElements.define('organisation-list', OrganisationList);
