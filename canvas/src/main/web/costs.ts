import { html, nothing, svg, type TemplateResult } from 'lit';
import { call, says } from './api';
import './costs.css';
import { repeat } from './repeat';
import { store } from './store';
import { Part, look } from './view';
import { clip, count, money } from './words';

/** Usage, by whom and by what, as `GET /usage` adds it up: days are the platform's, in UTC. */

interface Row {
  key: string | null;
  calls: number;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cost_micros: number | null;
  unpriced_calls: number;
  metered?: boolean;
}

type By = 'agent' | 'team' | 'model' | 'day';

const BYS: [By, string][] = [['agent', 'agents'], ['team', 'teams'], ['model', 'models'], ['day', 'days']];
const SPANS: [string, string, number][] = [['month', 'this month', 0], ['today', 'today', 1], ['week', 'the last 7 days', 7], ['quarter', 'the last 90 days', 90]];
const SHOWN = 100;
const DAY_MILLIS = 86_400_000;

const day = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

class Costs extends Part {
  private by: By = 'agent';
  private span = 'month';
  private rows: Row[] = [];
  private note = 'Reading…';
  private reading = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.read();
  }

  override render(): TemplateResult {
    const most = Math.max(...this.rows.map((row) => row.cost_micros ?? 0), 1);
    const sum = this.rows.reduce((all, row) => all + (row.cost_micros ?? 0), 0);
    return html`
      <h2 id="dialog-title">Usage</h2>
      <div class="buttons cost-of">
        <label>By <select autofocus @change=${(event: Event) => { this.by = (event.target as HTMLSelectElement).value as By; void this.read(); }}>${BYS.map(([by, words]) => html`<option value=${by} .selected=${by === this.by}>${words}</option>`)}</select></label>
        <label>of <select @change=${(event: Event) => { this.span = (event.target as HTMLSelectElement).value; void this.read(); }}>${SPANS.map(([span, words]) => html`<option value=${span} .selected=${span === this.span}>${words}</option>`)}</select></label>
        ${this.by !== 'team' && this.rows.length ? html`<b class="cost-sum">${money(sum / 1e6)}</b>` : nothing}
      </div>
      ${this.note ? html`<p class="none" role="status">${this.note}</p>` : nothing}
      ${!this.note && !this.rows.length ? html`<p class="none">No model calls yet. What runs on no model costs nothing here.</p>` : nothing}
      <ul class="costs">${repeat(this.rows.slice(0, SHOWN), (row) => row.key ?? '', (row) => html`<li>
        ${this.drawName(row)}
        <span class="cost">${costWords(row)}</span>
        <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${svg`<rect width=${((100 * (row.cost_micros ?? 0)) / most).toFixed(1)} height="1"></rect>`}</svg>
        <span class="none">${count(row.calls, 'call')} · ${thousands(row.tokens_in)} in, ${thousands(row.tokens_out)} out${row.cache_read ? `, ${thousands(row.cache_read)} from a cache` : ''}</span></li>`)}</ul>
      ${this.rows.length > SHOWN ? html`<p class="none">and ${this.rows.length - SHOWN} more, each of which cost less</p>` : nothing}
      <div class="buttons"><button type="button" @click=${() => look({ dialog: null })}>Close</button></div>`;
  }

  private drawName(row: Row): TemplateResult {
    const agent = store.live.agents.get(row.key ?? '');
    if (this.by === 'model' || this.by === 'day') return html`<span class="name" dir="auto">${clip(row.key ?? 'unknown', 80)}</span>`;
    const words = agent ? `${this.by === 'team' ? 'Team of ' : ''}${clip(agent.name, 60)}` : row.key ? 'Deleted agent' : 'No agent';
    return agent ? html`<button class="inline name" dir="auto" @click=${() => look({ dialog: null, selected: agent.id, talkTo: agent.id, tab: 'about' })}>${words}</button>` : html`<span class="name">${words}</span>`;
  }

  private async read(): Promise<void> {
    const mine = ++this.reading;
    const days = SPANS.find(([span]) => span === this.span)![2];
    const now = Date.now();
    const between = days ? `&from=${day(now - (days - 1) * DAY_MILLIS)}&to=${day(now)}` : '';
    try {
      const { rows } = await call<{ rows: Row[] }>('GET', `/usage?by=${this.by}${between}`);
      if (mine !== this.reading) return;
      this.rows = rows;
      this.note = '';
    } catch (failure) {
      if (mine !== this.reading) return;
      this.rows = [];
      this.note = says(failure);
    }
    this.requestUpdate();
  }
}

const costWords = (row: Row): string => [row.cost_micros === null && row.metered === false ? 'not metered' : row.cost_micros === null ? (row.calls ? 'price not known' : '$0.00') : money(row.cost_micros / 1e6), row.cost_micros !== null && row.unpriced_calls ? 'and more' : ''].filter((part) => part).join(' ');

const thousands = (n: number): string => (n < 1_000 ? `${n}` : n < 1_000_000 ? `${(n / 1_000).toFixed(n < 10_000 ? 1 : 0)} k` : `${(n / 1_000_000).toFixed(1)} M`);

customElements.define('what-it-cost', Costs);
