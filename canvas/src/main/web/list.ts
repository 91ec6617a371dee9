import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { factsOf, spoken } from './facts';
import './list.css';
import type { Agent } from './model';
import { branchOf, matches, treeOf, type Tree } from './organisation';
import { store } from './store';
import { Part, look, view } from './view';
import { count, dollars, runsOn } from './words';

interface Row {
  agent: Agent;
  level: number;
  below: number;
  open: boolean;
  position: number;
  siblings: number;
}

/** Above so many only what is near the window is in the page. */
const ALL_MAX = 300;
const ROW_PIXELS = 44;

/** The whole organisation as a tree: every fact of the map, in words. */
class OrganisationList extends Part {
  private rows: Row[] = [];
  private focused: string | null = null;

  override render(): TemplateResult {
    const { org } = store;
    const { now } = store;
    const tree = treeOf(org.agents);
    this.rows = [];
    this.collect(tree, tree.roots, 1, this.wanted(tree));
    const hidden = org.agents.size - this.rows.length;
    const tabStop = [this.focused, view.selected].find((id) => this.rows.some((row) => row.agent.id === id)) ?? this.rows[0]?.agent.id;
    const top = this.scrollTop;
    const first = this.rows.length > ALL_MAX ? Math.max(0, Math.floor(top / ROW_PIXELS) - 60) : 0;
    const shown = this.rows.length > ALL_MAX ? this.rows.slice(first, first + 160) : this.rows;
    return html`
      <div class="scroll" @scroll=${() => this.rows.length > ALL_MAX && this.requestUpdate()}>
        <div class="tree" role="tree" aria-label="Everybody in the organisation" @keydown=${this.keys}>
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

  /** With a search: those that match and those above them; null for all. */
  private wanted(tree: Tree): Set<string> | null {
    if (!view.query) return null;
    const wanted = new Set<string>();
    for (const agent of store.org.agents.values()) {
      if (!matches(store.org, agent, view.query)) continue;
      for (let up: Agent | undefined = agent; up && !wanted.has(up.id); up = store.org.agents.get(up.parent_id ?? '')) wanted.add(up.id);
    }
    return tree.roots.length ? wanted : null;
  }

  private collect(tree: Tree, agents: Agent[], level: number, wanted: Set<string> | null): void {
    const seen = agents.filter((agent) => !wanted || wanted.has(agent.id));
    seen.forEach((agent, i) => {
      const open = wanted !== null || !(view.folded.get(agent.id) ?? agent.collapsed);
      const below = branchOf(tree, agent).length - 1;
      this.rows.push({ agent, level, below, open, position: i + 1, siblings: seen.length });
      if (open) this.collect(tree, tree.childrenOf.get(agent.id) ?? [], level + 1, wanted);
    });
  }

  private drawRow(row: Row, now: number, tabStop: boolean): TemplateResult {
    const { agent } = row;
    const facts = factsOf(store.org, agent, now);
    const spend = agent.monthly_spend ? dollars(agent.monthly_spend) : '';
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
        aria-label="${spoken(facts)}, ${runsOn(agent.runtime)}${spend ? ', ' + spend + ' this month' : ''}${row.below ? ', ' + row.below + ' below' : ''}"
        @click=${(event: Event) => this.choose(agent, event)}
        @focus=${() => (this.focused = agent.id)}
      >
        <span class="lead"><span class="twist" data-fold=${row.below ? agent.id : nothing} aria-hidden="true">${row.below ? (row.open ? '▾' : '▸') : ''}</span>
          <span class="glyph" aria-hidden="true">${facts.glyph}</span>
          <span class="who"><span class="name" dir="auto">${facts.name}</span> <span class="role" dir="auto">${facts.role}</span></span></span>
        <span class="now" dir="auto">${facts.now}</span>
        <span class="time">${facts.time}</span>
        <span class="runs">${runsOn(agent.runtime)}</span>
        <span class="spend">${spend}</span>
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

  private readonly keys = (event: KeyboardEvent): void => {
    const i = this.rows.findIndex((row) => row.agent.id === (event.target as HTMLElement).dataset['id']);
    const row = this.rows[i];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const go = (to: Row | undefined) => to && this.querySelector<HTMLElement>(`[data-id="${CSS.escape(to.agent.id)}"]`)?.focus();
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
