import { html, nothing, type TemplateResult } from 'lit';
import './add.css';
import { calledSo, type Imported } from './actions';
import { Refused, call, says } from './api';
import { isHeld, rewrite } from './may';
import { branchOf, treeOf } from './organisation';
import { drawPlan, namesOf, type Plan } from './plan';
import { mayRule } from './rights';
import { store } from './store';
import { Part, look, toast, view } from './view';
import { clip, count, runsOn } from './words';

/** Ways to more agents: one that somebody has already, a new one, a team, and the key that those with a model need. */

type Way = 'invite' | 'new' | 'team' | 'key';

const WAYS: [Way, string][] = [
  ['invite', 'Connect agent'],
  ['new', 'New agent'],
  ['team', 'Import team'],
  ['key', 'Add API key'],
];

const HOSTS: { id: string; words: string; line: (id: string) => string }[] = [
  { id: 'claude', words: 'Claude Code', line: (id) => `claude mcp add molecule -e WORKSPACE_ID=${id} -e PLATFORM_URL=${location.origin} -- ./molecule mcp --join` },
  { id: 'codex', words: 'Codex', line: (id) => `codex mcp add molecule --env WORKSPACE_ID=${id} --env PLATFORM_URL=${location.origin} -- ./molecule mcp --join` },
  { id: 'gemini', words: 'Gemini', line: (id) => `gemini mcp add -e WORKSPACE_ID=${id} -e PLATFORM_URL=${location.origin} molecule ./molecule mcp --join` },
  { id: 'mcp', words: 'Another MCP client', line: (id) => `WORKSPACE_ID=${id} PLATFORM_URL=${location.origin} ./molecule mcp --join` },
  { id: 'program', words: 'A program of mine', line: (id) => `./molecule connect --platform-url ${location.origin} --workspace-id ${id} --handler 'cmd: ./answer.sh'` },
  { id: 'a2a', words: 'An A2A agent with an address', line: () => '' },
];

const RUNTIMES = ['claude-code', 'codex', 'gemini-cli', 'langgraph', 'echo'];
const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
const FILE_MAX = 4 * 1024 * 1024;

interface Template {
  dir: string;
  name: string;
  description: string;
  workspaces: number;
}

interface Kind {
  id: string;
  name: string;
  description: string;
  runtime: string;
  model: string;
  tier: number;
}

class Add extends Part {
  private way: Way = 'invite';
  private opened: unknown = null;
  private note = '';
  private busy = false;
  private host = 'claude';
  private invited: { id: string; name: string; count: number } | null = null;
  private templates: Template[] | null = null;
  private kinds: Kind[] | null = null;
  private plan: Plan | null = null;
  private asked: Record<string, unknown> = {};
  /** What is gone without, once it was said. */
  private lacks: string[] = [];

  override render(): TemplateResult {
    if (this.opened !== view.dialog) this.begin();
    return html`
      <div class="add">
        <h2 id="dialog-title">Add</h2>
        <div class="switch ways" role="group" aria-label="What to add">
          ${WAYS.filter(([way]) => way !== 'key' || mayRule()).map(([way, words]) => html`<button type="button" aria-pressed=${this.way === way ? 'true' : 'false'} @click=${() => this.turn(way)}>${words}</button>`)}
        </div>
        ${{ invite: () => this.drawInvite(), new: () => this.drawNew(), team: () => this.drawTeam(), key: () => this.drawKey() }[this.way]()}
        <p class="refused" role="status">${this.note}</p>
      </div>
    `;
  }

  private begin(): void {
    this.opened = view.dialog;
    const asked = WAYS.find(([way]) => way === view.dialog?.id)?.[0];
    this.way = asked ?? (store.live.agents.size ? 'invite' : 'team');
    this.invited = null;
    this.plan = null;
    this.lacks = [];
    this.note = '';
    this.busy = false;
  }

  private turn(way: Way): void {
    this.way = way;
    this.note = '';
    this.requestUpdate();
  }

  /** One form's doing: its refusal is said below it, and nothing that was typed is lost. */
  private async attempt(what: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.note = '';
    this.requestUpdate();
    try {
      await what();
    } catch (failure) {
      this.note = says(failure);
    }
    this.busy = false;
    this.requestUpdate();
  }

  // --- an agent I have ---------------------------------------------------------------------------------------------

  private drawInvite(): TemplateResult {
    const host = HOSTS.find((one) => one.id === this.host)!;
    if (this.invited) return this.drawInvited(this.invited, host.line(this.invited.id), host.words);
    return html`
      <form @submit=${(event: Event) => this.submit(event, (fields) => (host.id === 'a2a' ? this.enrol(fields) : this.invite(fields)))}>
        <label>Type <select @change=${(event: Event) => { this.host = (event.target as HTMLSelectElement).value; this.requestUpdate(); }}>
          ${HOSTS.map((one) => html`<option value=${one.id} .selected=${one.id === this.host}>${one.words}</option>`)}</select></label>
        ${host.id === 'a2a' ? html`<label>Address <input name="url" type="url" required placeholder="https://…" maxlength="2000" autocomplete="off" /></label>` : nothing}
        ${this.drawWho()}
        ${this.drawGo(host.id === 'a2a' ? 'Connect agent' : 'Create invite')}
      </form>
    `;
  }

  private drawInvited(invited: { id: string; name: string; count: number }, line: string, words: string): TemplateResult {
    const here = store.live.agents.has(invited.id);
    return html`
      <div class="invited">
        <p>Paste this line where <code>./molecule</code> lies. It holds the place of <b dir="auto">${clip(invited.name, 60)}</b>, and is shown this once:</p>
        <pre class="paste" tabindex="0">${line}</pre>
        <div class="buttons">
          <button type="button" class="primary" @click=${() => void navigator.clipboard.writeText(line).then(() => toast('Copied.'), () => toast('Select the line and copy it by hand.'))}>Copy</button>
          <button type="button" @click=${() => look({ dialog: null })}>Done</button>
          ${here ? html`<p class="came">✓ Connected</p>` : html`<p class="none">Waiting for ${words}; its card appears when it connects.</p>`}
        </div>
      </div>
    `;
  }

  private async invite(fields: Fields): Promise<void> {
    const made = await call<{ id: string; name: string }>('POST', '/invitations', who(fields));
    this.invited = { ...made, count: store.live.agents.size };
  }

  private async enrol(fields: Fields): Promise<void> {
    await call('POST', '/workspaces', { ...who(fields), external: true, url: fields.url });
    this.finish(`${clip(fields.name ?? '', 60)} was added.`);
  }

  // --- a new one ---------------------------------------------------------------------------------------------------

  private drawNew(): TemplateResult {
    if (this.kinds === null) {
      this.kinds = [];
      void call<Kind[]>('GET', '/templates').then((kinds) => {
        this.kinds = kinds.slice(0, 200);
        this.requestUpdate();
      }, () => {});
    }
    return html`
      <form @submit=${(event: Event) => this.submit(event, async (fields) => {
        const { template, runtime, budget } = fields;
        if (fields.unasked === 'asks') await this.createHeld(fields);
        else await call('POST', '/workspaces', { ...who(fields), ...(template ? { template } : { runtime }), ...(budget ? { budget_limit: Math.round(Number(budget) * 100) } : {}) }, 60_000);
        this.finish(`${clip(fields.name ?? '', 60)} is starting.`);
      })}>
        ${this.drawWho('Role')}
        ${this.kinds.length ? html`<label>From a template <select name="template"><option value="">none</option>${this.kinds.map((kind) => html`<option value=${kind.id}>${clip(kind.name, 60)}${kind.description ? ` — ${clip(kind.description, 60)}` : ''}</option>`)}</select></label>` : nothing}
        <label>Runtime <select name="runtime">${RUNTIMES.map((runtime) => html`<option value=${runtime}>${runsOn(runtime)}</option>`)}</select></label>
        <label>Require approval for tools <select name="unasked"><option value="">No</option><option value="asks">Yes, each time</option></select></label>
        <label>Monthly budget (USD) <input name="budget" type="number" min="0" max="1000000" step="0.01" placeholder="no limit" /></label>
        ${this.drawGo('Create agent')}
      </form>
    `;
  }

  /** It does not run before it is held: it is made paused, its config.yaml says so, and then it starts. */
  private async createHeld(fields: Fields): Promise<void> {
    const kind = this.kinds?.find((one) => one.id === fields.template);
    const runtime = kind?.runtime ?? fields.runtime ?? '';
    if (!isHeld(runtime)) throw new Error(`What ${runsOn(runtime)} does the platform cannot hold back: it has tools of its own.`);
    const { parent_id: parent, ...self } = who(fields);
    const one = { ...self, runtime, ...(kind ? { template: kind.id, tier: kind.tier, ...(kind.model ? { model: kind.model } : {}) } : {}) };
    const made = await call<{ workspaces: { id: string }[] }>('POST', '/org/import', { template: { name: self['name'], workspaces: [one] }, start: false }, 60_000);
    const path = `/workspaces/${made.workspaces[0]!.id}`;
    try {
      await rewrite(path, 'unasked', () => []);
      if (parent) await call('PATCH', path, { parent_id: parent });
      if (fields.budget) await call('PATCH', `${path}/budget`, { budget_limit: Math.round(Number(fields.budget) * 100) });
      await call('POST', `${path}/resume`, {}, 60_000);
    } catch (failure) {
      throw new Error(`It is there and does not run yet: ${says(failure)} See its Settings, then resume it.`);
    }
  }

  // --- a team ------------------------------------------------------------------------------------------------------

  private drawTeam(): TemplateResult {
    if (this.templates === null) {
      this.templates = [];
      void call<Template[]>('GET', '/org/templates').then((templates) => {
        this.templates = templates.slice(0, 12);
        this.requestUpdate();
      }, (failure: unknown) => {
        this.note = says(failure);
        this.requestUpdate();
      });
    }
    if (this.plan) return this.drawPlanned(this.plan);
    return html`
      <div class="starts">
        ${this.templates.map((one) => html`<button type="button" class="start" ?disabled=${this.busy} @click=${() => void this.attempt(() => this.preview({ dir: one.dir }))}>
          <b dir="auto">${clip(one.name, 60)}</b> <span>${count(one.workspaces, 'agent')}</span><span class="what" dir="auto">${clip(one.description, 160)}</span></button>`)}
      </div>
      <label>Or your own file, <code>org.yaml</code> <input type="file" accept=".yaml,.yml" ?disabled=${this.busy} @change=${(event: Event) => void this.attempt(() => this.choose(event))} /></label>
      <p class="none">You see a preview before anything is created.</p>
    `;
  }

  private drawPlanned(plan: Plan): TemplateResult {
    return html`
      <form @submit=${(event: Event) => this.submit(event, (fields) => this.bring(plan, fields))}>
        ${drawPlan(plan)}
        <div class="buttons"><button class="primary" ?disabled=${this.busy}>${this.busy ? 'Saving…' : this.lacks.length ? 'Import without keys' : 'Import'}</button>
          <button type="button" ?disabled=${this.busy} @click=${() => { this.plan = null; this.note = ''; this.requestUpdate(); }}>Back</button></div>
      </form>
    `;
  }

  private async choose(event: Event): Promise<void> {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (!file) return;
    try {
      if (file.size > FILE_MAX) throw new Error('That file is larger than 4 MiB.');
      await this.preview({ files: { 'org.yaml': await file.text() } });
    } finally {
      input.value = ''; // the same file, mended, is another choice
    }
  }

  private async preview(what: Record<string, unknown>): Promise<void> {
    try {
      const plan = await call<Plan>('POST', '/org/import?dry_run=1', what, 60_000);
      if (plan.dry_run !== true) throw new Error('This platform is older than this page and knows no preview: it has brought them in already.');
      this.plan = plan;
    } catch (failure) {
      const problems = failure instanceof Refused ? (failure.body as { problems?: unknown } | null)?.problems : null;
      throw Array.isArray(problems) && problems.length ? new Error(`${says(failure)}: ${clip(problems.map(String).join(' · '), 600)}`) : failure;
    }
    this.asked = what;
    this.lacks = [];
  }

  /** What is missing and was given is kept first. What is still missing then is said once, and gone without when it is asked for again. */
  private async bring(plan: Plan, fields: Fields): Promise<void> {
    const given = plan.missing_env.filter((wanted) => fields[`secret:${namesOf(wanted)[0]}`]?.trim());
    for (const wanted of given) await call('PUT', '/settings/secrets', { key: namesOf(wanted)[0], value: fields[`secret:${namesOf(wanted)[0]}`]!.trim() });
    plan.missing_env = plan.missing_env.filter((wanted) => !given.includes(wanted));
    const lacks = plan.missing_env.map((wanted) => namesOf(wanted).join(' or '));
    if (lacks.length && lacks.join() !== this.lacks.join()) {
      this.lacks = lacks;
      throw new Error(`The agents would start without ${lacks.join(', ')}. Press again to import without them.`);
    }
    const made = await call<Imported>('POST', '/org/import', { ...this.asked, ...(lacks.length ? { force: true } : {}) }, 180_000);
    await calledSo(made);
    this.finish(made.error ? `Imported, but: ${clip(made.error, 200)}` : `${clip(plan.org, 60)}: ${made.count === 1 ? 'one agent is' : `${made.count} agents are`} starting.`);
  }

  // --- a key -------------------------------------------------------------------------------------------------------

  private drawKey(): TemplateResult {
    return html`
      <form @submit=${(event: Event) => this.submit(event, async (fields) => {
        const key = (fields.other || fields.key || '').trim();
        await call('PUT', '/settings/secrets', { key, value: fields.value });
        this.turn('new');
        toast(`${clip(key, 60)} was saved and encrypted. It cannot be read back here.`);
      })}>
        <label>For <select name="key" @change=${() => this.requestUpdate()}>${[...KEYS, ''].map((key) => html`<option value=${key}>${key || 'another name'}</option>`)}</select></label>
        <label>Another name <input name="other" pattern="[A-Za-z_][A-Za-z0-9_]*" maxlength="128" autocomplete="off" placeholder="only where it is none of these" /></label>
        <label>Key <input name="value" type="password" required autocomplete="off" maxlength="60000" /></label>
        <p class="none">Encrypted by the platform and available to every agent. To give a key to one agent, use its Settings.</p>
        ${this.drawGo('Save')}
      </form>
    `;
  }

  // --- what forms share --------------------------------------------------------------------------------------------

  private drawWho(what = 'Role'): TemplateResult {
    const tree = treeOf(store.live.agents);
    const everybody = tree.roots.flatMap((root) => branchOf(tree, root)).slice(0, 1_000);
    return html`
      <label>Name <input name="name" required maxlength="200" autocomplete="off" dir="auto" /></label>
      <label>${what} <input name="role" maxlength="500" autocomplete="off" dir="auto" /></label>
      <label>Team <select name="parent_id"><option value="">None (top level)</option>${everybody.map((agent, i) => html`<option value=${agent.id} .selected=${i === 0}>${clip(agent.name, 60)}${agent.role ? ` — ${clip(agent.role, 40)}` : ''}</option>`)}</select></label>
    `;
  }

  private drawGo(words: string): TemplateResult {
    return html`<div class="buttons"><button class="primary" ?disabled=${this.busy}>${this.busy ? 'Saving…' : words}</button><button type="button" @click=${() => look({ dialog: null })}>Cancel</button></div>`;
  }

  private submit(event: Event, what: (fields: Fields) => Promise<void>): void {
    event.preventDefault();
    const fields: Fields = {};
    new FormData(event.target as HTMLFormElement).forEach((value, name) => {
      if (typeof value === 'string') fields[name] = value;
    });
    void this.attempt(() => what(fields));
  }

  private finish(words: string): void {
    look({ dialog: null });
    toast(words);
  }
}

type Fields = Partial<Record<string, string>>;

const who = (fields: Fields): Record<string, string> => ({
  name: (fields['name'] ?? '').trim(),
  ...(fields['role']?.trim() ? { role: fields['role'].trim() } : {}),
  ...(fields['parent_id'] ? { parent_id: fields['parent_id'] } : {}),
});

customElements.define('add-agents', Add);
