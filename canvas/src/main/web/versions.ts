import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import { differencesOf, linesOf, type Difference } from './differences';
import type { Agent } from './model';
import { forget, read } from './readings';
import { mayAct } from './rights';
import { store } from './store';
import { toast } from './view';
import './versions.css';
import { clip, clock, count } from './words';

/** Every version of an agent's settings: what changed, when and by whom; each against how it is now; and the way back. */

interface Listed {
  n: number;
  created_at: string;
  changed_with: string;
  restored_from: number | null;
  changes: { setting: string; from: unknown; to: unknown }[];
}

interface Version extends Listed {
  settings: Record<string, unknown>;
}

interface Restored {
  n: number;
  needs_restart: boolean;
  missing_secrets: string[];
}

const PAGE = 10;
const NAMED = 3;
const TEXT_MAX = 20_000;

/** Of whom the versions are that were read; how many pages of them, and which one is open. */
let shown = { agentId: '', limit: PAGE, open: 0 };
let restoring = false;
/** What the way back left to be done, until another agent is looked at. */
let after: { agentId: string; from: number; restored: Restored } | null = null;

const pathOf = (agent: Agent): string => `/workspaces/${agent.id}/versions`;

export function drawVersions(agent: Agent): TemplateResult {
  if (shown.agentId !== agent.id) shown = { agentId: agent.id, limit: PAGE, open: 0 };
  const reading = read<{ versions: Listed[]; next: number | null }>(`${pathOf(agent)}?limit=${shown.limit}`);
  const all = Array.isArray(reading.value?.versions) ? reading.value.versions : [];
  return html`<section class="versions"><h3>Versions</h3>
    ${after?.agentId === agent.id ? drawAfter(agent, after) : nothing}
    ${reading.value === null ? html`<p class="none">${reading.note}</p>` : all.length ? html`<ol>${all.map((one) => drawVersion(agent, one, all[0]!.n))}</ol>` : html`<p class="none">None are kept.</p>`}
    ${reading.value?.next ? html`<div class="buttons"><button @click=${() => { shown.limit = Math.min(100, shown.limit + PAGE); store.changed(); }}>Older ones</button></div>` : nothing}
  </section>`;
}

function drawVersion(agent: Agent, version: Listed, newest: number): TemplateResult {
  const open = shown.open === version.n;
  return html`<li class=${open ? 'open' : ''}>
    <button class="version" aria-expanded=${open ? 'true' : 'false'} @click=${() => { shown.open = open ? 0 : version.n; store.changed(); }}>
      <b>${version.n}</b> <span class="changed" dir="auto">${changedWords(version)}</span>
      <span class="time">${clock(Date.parse(version.created_at), Date.now())}</span>
      <span class="by" dir="auto">${version.n === newest ? 'how it is now · ' : ''}${byWhom(version.changed_with)}</span>
    </button>
    ${open ? drawOpen(agent, version, newest) : nothing}
  </li>`;
}

function changedWords(version: Listed): string {
  if (version.restored_from !== null) return `Restored version ${version.restored_from}`;
  const names = version.changes.map((change) => settingWords(change.setting));
  if (version.n === 1 || !names.length) return 'Created';
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '');
}

const SETTINGS: Record<string, string> = { name: 'name', role: 'what it does', tier: 'size', runtime: 'runs on', workspace_dir: 'folder', budget_limit: 'may spend', model: 'model' };

/** `files./configs/AGENTS.md` is a file's name, `config.tone` is kept as it is written. */
const settingWords = (setting: string): string => clip(SETTINGS[setting] ?? setting.replace(/^files\.(\/configs\/)?/, '').replace(/^secrets\./, 'secret '), 60);

function byWhom(credential: string): string {
  const agent = credential.startsWith('workspace:') ? store.org.agents.get(credential.slice('workspace:'.length)) : null;
  if (agent) return `by ${clip(agent.name, 40)} itself`;
  if (credential === 'platform') return 'by the platform';
  if (credential === 'none') return 'by somebody on this machine';
  if (credential.startsWith('org-token:')) return `with the key ${clip(credential.slice('org-token:'.length), 12)}…`;
  return 'by an administrator';
}

/** What would be different if it were as it was then. */
function drawOpen(agent: Agent, version: Listed, newest: number): TemplateResult {
  if (version.n === newest) {
    return html`<div class="compared">${version.changes.map((change) => drawDifference({ setting: change.setting, then: words(change.from), now: words(change.to) }))}</div>`;
  }
  const then = read<Version>(`${pathOf(agent)}/${version.n}`);
  const now = read<Version>(`${pathOf(agent)}/${newest}`);
  if (!then.value || !now.value) return html`<p class="none">${then.note || now.note}</p>`;
  const differences = differencesOf(now.value.settings, then.value.settings);
  return html`<div class="compared">
    ${differences.length ? html`<p class="none">Restoring would change:</p>${differences.map(drawDifference)}` : html`<p class="none">It is now as it was then.</p>`}
    ${differences.length && mayAct(agent.id) ? html`<div class="buttons"><button ?disabled=${restoring || !!store.past} aria-label="Restore version ${version.n}" @click=${() => void restore(agent, version.n)}>${restoring ? 'Restoring…' : 'Restore this version'}</button></div>` : nothing}
  </div>`;
}

const words = (value: unknown): string | null => (value === null || value === undefined || value === '' ? null : typeof value === 'string' ? value : JSON.stringify(value));

function drawDifference({ setting, then, now }: Difference): TemplateResult {
  const long = (then ?? '').includes('\n') || (now ?? '').includes('\n');
  const lines = long ? linesOf((then ?? '').slice(0, TEXT_MAX), (now ?? '').slice(0, TEXT_MAX)) : [];
  return html`<div class="difference"><p class="setting">${settingWords(setting)}</p>
    ${long
      ? html`<pre tabindex="0" aria-label="What changes in ${settingWords(setting)}">${lines.map((line) => (line.kind === 'folded' ? html`<span class="folded">⋯</span>` : html`<span class=${line.kind}><i>${line.kind === 'gone' ? '−' : line.kind === 'new' ? '+' : ' '}</i>${line.text}</span>`))}</pre>`
      : html`<p class="values" dir="auto">${valueWords(setting, then)} <span aria-label="becomes">→</span> <b>${valueWords(setting, now)}</b></p>`}
  </div>`;
}

function valueWords(setting: string, value: string | null): string {
  if (value === null) return setting === 'budget_limit' ? 'no limit' : setting === 'model' ? 'its own choice' : 'nothing';
  if (setting === 'budget_limit' && /^\d+$/.test(value)) return `$${(Number(value) / 100).toFixed(2)}`;
  return clip(value, 200);
}

async function restore(agent: Agent, n: number): Promise<void> {
  if (restoring || store.past) return;
  restoring = true;
  store.changed();
  try {
    const restored = await call<Restored>('POST', `${pathOf(agent)}/${n}/restore`, {}, 60_000);
    after = { agentId: agent.id, from: n, restored };
    shown.open = 0;
    toast(`${clip(agent.name, 60)} is as in version ${n} again.`);
  } catch (failure) {
    toast(says(failure));
  }
  restoring = false;
  forget(`/workspaces/${agent.id}/`);
}

/** Back is one press; what it does not bring back is said. */
function drawAfter(agent: Agent, { from, restored }: NonNullable<typeof after>): TemplateResult | typeof nothing {
  const missing = restored.missing_secrets.slice(0, 20);
  if (!restored.needs_restart && !missing.length) return nothing;
  return html`<div class="after" role="status">
    ${missing.length ? html`<p>Version ${from} had ${count(missing.length, 'secret')} that ${missing.length === 1 ? 'has' : 'have'} no value now: <code>${missing.join(', ')}</code></p>` : nothing}
    ${restored.needs_restart ? html`<p>It applies from the agent’s next start.</p><div class="buttons"><button class="primary" @click=${() => { after = null; void call('POST', `/workspaces/${agent.id}/restart`, {}).then(() => toast(`${clip(agent.name, 60)} starts anew.`), (failure: unknown) => toast(says(failure))); }}>Restart it now</button></div>` : nothing}
  </div>`;
}
