import { html, type TemplateResult } from 'lit';
import { call } from './api';
import { change, isChanging, submitted } from './forms';
import { read } from './readings';
import { mayRule } from './rights';
import { store } from './store';

/** What each run for which no limit is given, and all agents together in a day (UTC), may cost, in US dollars; null for no limit. */
export interface SpendingLimits {
  run_limit: number | null;
  day_cap: number | null;
}

const PATH = '/settings/spending';

/** What a run costs at most unless somebody says otherwise, for the place of an answer. */
export function usualLimit(): string {
  const limit = read<SpendingLimits>(PATH).value?.run_limit;
  return limit === undefined || limit === null ? 'no limit' : `$${limit} unless you say otherwise`;
}

export function drawLimits(): TemplateResult {
  const reading = read<SpendingLimits>(PATH);
  return html`<section class="limits"><h3>Spending limits</h3>
    <p class="none">A run that reaches its limit stops and asks in the inbox. Empty means no limit.</p>
    ${reading.value === null ? html`<p class="none">${reading.note}</p>` : html`<fieldset ?disabled=${isChanging() || !!store.past || store.connection.kind !== 'live' || !mayRule()}><form class="wide" @submit=${(event: Event) => {
      const { field } = submitted(event);
      const amount = (name: string): number | null => (field(name) ? Number(field(name)) : null);
      void change(PATH, () => call('PUT', PATH, { run_limit: amount('run_limit'), day_cap: amount('day_cap') }), 'Saved. It applies from the next run and the next call of a model.');
    }}>
      <div class="pair"><label>Cost limit per run (USD) <input name="run_limit" type="number" min="0" max="1000000" step="any" placeholder="no limit" .value=${reading.value.run_limit?.toString() ?? ''} /></label>
        <label>Cap per day, all agents (USD) <input name="day_cap" type="number" min="0" max="1000000" step="any" placeholder="no limit" .value=${reading.value.day_cap?.toString() ?? ''} /></label></div>
      <div class="buttons"><button class="primary">Save</button></div>
    </form></fieldset>`}
  </section>`;
}
