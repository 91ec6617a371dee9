import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import { treeIn } from './census';
import { change, isChanging, rows, submitted } from './forms';
import { drawMay, drawSkills, type Plugin } from './may';
import type { Agent } from './model';
import { OWNER_MAX, leads, nameOwner, ownOwner } from './owners';
import { drawPolicyOf } from './policy';
import { read } from './readings';
import { mayAct, mayRule } from './rights';
import { drawRulesOf } from './rules';
import { drawSchedules } from './schedules';
import './settings.css';
import { spending } from './spending';
import { store } from './store';
import { drawVersions } from './versions';
import { clip, clock, count } from './words';

/** What an agent may do and spend, which skills, plugins, model and secrets it has, who may speak for it, and every version of all that. */

interface Token {
  id: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
}

interface Secret {
  key: string;
  scope: string;
  store?: string;
  last_read_at?: string;
  last_read_by?: string;
  outdated?: string[];
}

let freshToken: { agentId: string; token: string } | null = null;

export function drawSettings(agent: Agent): TemplateResult {
  return html`<fieldset class="settings ${mayAct(agent.id) ? '' : 'looking'}" ?disabled=${isChanging() || !!store.past || store.connection.kind !== 'live' || !mayAct(agent.id)}>
    ${drawWho(agent)} ${drawMay(agent)} ${drawBudget(agent)} ${drawSchedules(agent)} ${agent.runtime === 'external' ? nothing : drawSleep(agent)} ${leads(treeIn(store.org), agent) ? drawTeam(agent) : nothing} ${drawSkills(agent, pluginsOf(agent))} ${drawPlugins(agent)} ${drawModel(agent)} ${drawSecrets(agent)} ${drawTokens(agent)}
  </fieldset>
  <div class="settings">${drawRulesOf(agent)} ${drawPolicyOf(agent)} ${drawVersions(agent)}</div>`;
}

function drawWho(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}`;
  return html`<section><h3>Name and role</h3>
    <form @submit=${(event: Event) => {
      const { field } = submitted(event);
      void change(path, () => call('PATCH', path, { name: field('name'), role: field('role') }), 'Saved.');
    }}>
      <input name="name" required maxlength="200" aria-label="Name" placeholder="Name" dir="auto" autocomplete="off" .value=${agent.name} />
      <input name="role" class="wide" maxlength="500" aria-label="Role" placeholder="role" dir="auto" autocomplete="off" .value=${agent.role ?? ''} />
      <button>Save</button>
    </form></section>`;
}

function drawBudget(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/budget`;
  return html`<section><h3>Monthly budget</h3>
    <form @submit=${(event: Event) => {
      const { field } = submitted(event);
      const limit = field('limit') ? Math.round(Number(field('limit')) * 100) : null;
      void change(path, async () => { await call('PATCH', path, { budget_limit: limit }); agent.budget_limit = limit; }, limit === null ? 'Limit removed.' : 'Limit saved.');
    }}>
      <input name="limit" type="number" min="0" max="10000000" step="0.01" aria-label="US dollars a month" placeholder="no limit" .value=${agent.budget_limit === null ? '' : (agent.budget_limit / 100).toFixed(2)} />
      <button>Save</button>
    </form></section>`;
}

/** After how long without work it is stopped until something comes for it. */
function drawSleep(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/hibernation`;
  const reading = read<{ hibernation_idle_minutes: number | null; effective_idle_minutes: number }>(path);
  const counts = reading.value?.effective_idle_minutes ?? 0;
  return html`<section><h3>Hibernate when idle</h3>
    ${reading.value === null ? html`<p class="none">${reading.note}</p>` : html`<form @submit=${(event: Event) => {
      const { field } = submitted(event);
      const minutes = field('idle') === '' ? null : Number(field('idle'));
      void change(path, () => call('PATCH', path, { hibernation_idle_minutes: minutes }), 'Saved for this agent and the agents below it.');
    }}>
      <input name="idle" type="number" min="0" max="525600" step="1" aria-label="Minutes without work, 0 for never" placeholder=${`as above it: ${counts ? `after ${count(counts, 'minute')}` : 'never'}`} .value=${reading.value.hibernation_idle_minutes ?? ''} />
      <button>Save</button>
    </form>
    <p class="none">Minutes without work, 0 for never. A message wakes the agent.</p>`}</section>`;
}

/** Of a leader: who answers for all below it, and what they may spend together. */
function drawTeam(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/budget`;
  const reading = read<{ team_limit?: number | null; team_period?: string }>(path);
  const { team_limit: limit, team_period: period } = reading.value ?? {};
  return html`<section><h3>Team owner and budget</h3>
    <form @submit=${(event: Event) => {
      const { field } = submitted(event);
      void change(path, () => nameOwner(agent.id, field('owner')), 'Saved for everybody.');
    }}>
      <input name="owner" maxlength=${OWNER_MAX} aria-label="Team owner" placeholder="owner" dir="auto" autocomplete="off" .value=${ownOwner(agent.id)} />
      <button>Save</button>
    </form>
    ${reading.value === null ? html`<p class="none">${reading.note}</p>` : html`<form @submit=${(event: Event) => {
      const { field } = submitted(event);
      const cents = field('team') ? Math.round(Number(field('team')) * 100) : null;
      void change(path, async () => { await call('PATCH', path, { team_limit: cents, team_period: field('period') }); spending.forget(); }, cents === null ? 'Limit removed.' : 'Limit saved.');
    }}>
      <input name="team" type="number" min="0" max="10000000" step="0.01" aria-label="US dollars, for all of the team together" placeholder="team limit: none" .value=${typeof limit === 'number' ? (limit / 100).toFixed(2) : ''} />
      <select name="period" aria-label="How often">${PERIODS.map(([one, words]) => html`<option value=${one} .selected=${one === (period ?? 'month')}>${words}</option>`)}</select>
      <button>Save</button>
    </form>`}</section>`;
}

const PERIODS: [string, string][] = [['day', 'a day'], ['month', 'a month'], ['all', 'in all']];

function drawModel(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/model`;
  const reading = read<{ model: string }>(path);
  return html`<section><h3>Model</h3>
    ${reading.value === null ? html`<p class="none">${reading.note}</p>` : html`
      <form @submit=${(event: Event) => {
        const { field } = submitted(event);
        void change(path, () => call('PUT', path, { model: field('model') }), 'Saved. The agent restarts with it.');
      }}><input name="model" maxlength="500" aria-label="Model, as provider:name" placeholder="Default model" autocomplete="off" .value=${reading.value.model} /><button>Save</button></form>`}
  </section>`;
}

function drawSecrets(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/secrets`;
  const now = Date.now();
  return html`<section><h3>Secrets</h3>
    ${rows(read<Secret[]>(path), 'None.', (secret) => html`<li><code>${clip(secret.key, 80)}</code><span class="none">${secret.scope === 'global' ? 'organization' : 'this agent'}${secret.store ? `, from ${clip(secret.store, 20)}` : ''}, ${usedWords(secret, agent, now)}${secret.outdated?.length ? '. The running agent has an older value: restart it to use the new one' : ''}</span>
      ${secret.scope === 'global' ? nothing : html`<button aria-label="Delete the secret ${clip(secret.key, 80)}" @click=${() => void change(path, () => call('DELETE', `${path}/${encodeURIComponent(secret.key)}`), `${clip(secret.key, 60)} was deleted.`)}>Delete</button>`}</li>`)}
    <form @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      void change(path, () => call('PUT', path, { key: field('key'), value: field('value') }), 'Saved and encrypted. It cannot be read back here.', form);
    }}><input name="key" required maxlength="128" aria-label="Name of a secret" placeholder="NAME" autocomplete="off" /><input name="value" type="password" required maxlength="60000" aria-label="Its value" placeholder="value" autocomplete="off" /><button>Save</button></form>
    ${mayRule() ? html`<details class="more reference"><summary>Set a reference</summary>
      <p class="none">The value stays in a store that the operator of the platform opened: HashiCorp Vault, a file, or a program.</p>
      <form @submit=${(event: Event) => {
        const { form, field } = submitted(event);
        void change(path, () => call('PUT', path, { key: field('key'), reference: field('reference') }), 'Saved. The value is read from its store when the agent needs it.', form);
      }}><input name="key" required maxlength="128" aria-label="Name of the referenced secret" placeholder="NAME" autocomplete="off" /><input name="reference" required maxlength="1024" pattern="(vault|file|exec):.+" title="vault:MOUNT/data/PATH#FIELD, file:/PATH or exec:NAME" aria-label="Where its value is" placeholder="vault:secret/data/path#field" autocomplete="off" autocapitalize="none" spellcheck="false" /><button>Save</button></form></details>` : nothing}
  </section>`;
}

function usedWords(secret: Secret, agent: Agent, now: number): string {
  if (!secret.last_read_at) return 'never used';
  return `last used ${clock(Date.parse(secret.last_read_at), now)}${secret.last_read_by === agent.id ? ` by ${clip(agent.name, 60)}` : ''}`;
}

function drawTokens(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/tokens`;
  const reading = read<{ tokens: Token[] }>(path);
  const now = Date.now();
  return html`<section><h3>API tokens</h3>
    ${rows({ value: reading.value?.tokens ?? null, note: reading.note }, 'None.', (token) => html`<li><code>${clip(token.prefix, 20)}…</code><span class="none">since ${clock(Date.parse(token.created_at), now)}${token.last_used_at ? `, used ${clock(Date.parse(token.last_used_at), now)}` : ', never used'}</span>
      <button aria-label="Revoke the API token ${clip(token.prefix, 20)}" @click=${() => void change(path, () => call('DELETE', `${path}/${token.id}`), 'Revoked.')}>Revoke</button></li>`)}
    ${freshToken?.agentId === agent.id ? html`<pre class="paste" tabindex="0" aria-label="The new API token, shown once">${freshToken.token}</pre>` : nothing}
    <div class="buttons"><button @click=${() => void change(path, async () => {
      const made = await call<{ auth_token: string }>('POST', path, {});
      freshToken = { agentId: agent.id, token: made.auth_token };
    }, 'Created. It is shown only once.')}>Create token</button></div>
  </section>`;
}

function pluginsOf(agent: Agent): Plugin[] {
  const installed = read<Plugin[]>(`/workspaces/${agent.id}/plugins`).value;
  return Array.isArray(installed) ? installed : [];
}

function drawPlugins(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/plugins`;
  const installed = read<Plugin[]>(path);
  const available = read<Plugin[]>(`${path}/available`);
  const here = new Set(Array.isArray(installed.value) ? installed.value.map((one) => one.name) : []);
  const more = Array.isArray(available.value) ? available.value.filter((one) => !here.has(one.name)) : [];
  return html`<section><h3>Plugins</h3>
    ${rows(installed, 'None.', (plugin) => html`<li><b dir="auto">${clip(plugin.name, 60)}</b><span class="none" dir="auto">${clip(plugin.description ?? '', 120)}${plugin.supported_on_runtime === false ? ' (not for what it runs on)' : ''}</span>
      <button aria-label="Uninstall the plugin ${clip(plugin.name, 60)}" @click=${() => void change(path, () => call('DELETE', `${path}/${encodeURIComponent(plugin.name)}`, undefined, 120_000), `${clip(plugin.name, 60)} was uninstalled.`)}>Uninstall</button></li>`)}
    ${more.length ? html`<form @submit=${(event: Event) => {
      const { field } = submitted(event);
      void change(path, () => call('POST', path, { source: `local://${field('plugin')}` }, 300_000), 'Installed. The agent restarts with it.');
    }}><select name="plugin" aria-label=${count(more.length, 'plugin') + ' to choose from'}>${more.slice(0, 200).map((plugin) => html`<option value=${plugin.name}>${clip(plugin.name, 60)}</option>`)}</select><button>Install</button></form>` : nothing}
  </section>`;
}
