import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import { holdButton } from './hold';
import './people.css';
import { forget, read, type Reading } from './readings';
import { ROLES, mayRule, tokenRoles, type Grant } from './rights';
import { store } from './store';
import { Part, look, toast } from './view';
import { clip, clock } from './words';

interface Person {
  id: string;
  login: string;
  name: string;
  roles: Grant[];
  signs_in_with: string[];
  disabled: boolean;
}

interface Session {
  id: string;
  address?: string;
  agent?: string;
  created_at: string;
  this: boolean;
}

interface Token {
  id: string;
  prefix: string;
  name: string;
  role: string;
  branch?: string;
  expires_at: string;
}

type Place = 'sessions' | 'tokens' | 'chats' | 'people';

const SESSIONS = '/sessions';
const TOKENS = '/people/me/tokens';
const PEOPLE = '/people';
const BRANCHES_MAX = 1000;

const nameOf = (branch: string): string => clip(store.live.agents.get(branch)?.name ?? 'an agent that is gone', 60);

/** "operator of Sales, viewer". */
export const rolesInWords = (roles: readonly Grant[]): string => roles.map((one) => one.role + (one.branch ? ` of ${nameOf(one.branch)}` : one.tenant ? ` of the tenant ${clip(one.tenant, 60)}` : '')).join(', ') || 'no role';

const known = (table: readonly (readonly [string, string])[], text: string): string => table.find(([sign]) => text.includes(sign))?.[1] ?? '';

/** What a program calls itself, in two words: "Firefox on Windows". */
export function programOf(agent: string): string {
  const browser = known([['Edg/', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari']], agent);
  const system = known([['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS', 'Mac'], ['Linux', 'Linux']], agent);
  return browser ? browser + (system ? ` on ${system}` : '') : clip(agent, 60) || 'a program without a name';
}

const select = (name: string, label: string, options: readonly (readonly [string, string])[], chosen = '', changed?: (value: string) => void): TemplateResult =>
  html`<select name=${name} aria-label=${label} @change=${(event: Event) => changed?.((event.target as HTMLSelectElement).value)}>${options.map(([value, words]) => html`<option value=${value} ?selected=${value === chosen} .selected=${value === chosen}>${words}</option>`)}</select>`;

const roleOptions = ROLES.map((role) => [role, role] as const);

/** Everything, a tenant, or a leader and all below it. */
function branchOptions(): (readonly [string, string])[] {
  const leads = new Set([...store.live.agents.values()].map((agent) => agent.parent_id));
  const teams = [...store.live.agents.values()].filter((agent) => leads.has(agent.id)).slice(0, BRANCHES_MAX);
  const tenants = [...new Set([...store.live.agents.values()].flatMap((agent) => agent.tenant ?? []))].sort().slice(0, BRANCHES_MAX);
  return [['', 'of everything'], ...tenants.map((tenant) => [`tenant:${tenant}`, `of the tenant ${clip(tenant, 50)}`] as const), ...teams.map((agent) => [agent.id, `of ${clip(agent.name, 50)} and below`] as const)];
}

/** Who signed in: where else, with which tokens; and for owners everybody. */
class PeopleSection extends Part {
  /** What is shown once: a token or a link. */
  private fresh: { place: Place; text: string } | null = null;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override render(): TemplateResult {
    const who = store.who;
    if (!who) return html``;
    return html`${mayRule() ? this.drawPeople(who.id) : nothing}${this.drawTokens()}${this.drawSessions()}${this.drawPassword()}`;
  }

  /** @param work answers what is said of it in place of `done`, or nothing */
  private async change(path: string, done: string, work: () => Promise<unknown>): Promise<void> {
    try {
      const said = await work();
      forget(path);
      toast(typeof said === 'string' ? said : done);
    } catch (failure) {
      toast(says(failure));
    }
    this.requestUpdate();
  }

  /** Of a form: what it says, and empty again once that is done. */
  private submit(event: Event, path: string, done: string, work: (field: (name: string) => string) => Promise<unknown>): void {
    this.submitted(event, path, async (field) => {
      await work(field);
      return done;
    });
  }

  /** The same; `work` answers what is said of it. */
  private submitted(event: Event, path: string, work: (field: (name: string) => string) => Promise<string>): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const data = new FormData(form);
    void this.change(path, '', async () => {
      const said = await work((name) => String(data.get(name) ?? '').trim());
      form.reset();
      return said;
    });
  }

  private drawFresh(place: Place, words: string): TemplateResult | typeof nothing {
    return this.fresh?.place === place ? html`<p class="none">${words}</p><pre class="paste" tabindex="0" aria-label="Shown this once">${this.fresh.text}</pre>` : nothing;
  }

  private drawRows<T>(reading: Reading<unknown>, rows: readonly T[], nobody: string, row: (one: T) => TemplateResult): TemplateResult {
    return rows.length ? html`<ul>${rows.map((one) => html`<li>${row(one)}</li>`)}</ul>` : html`<p class="none">${reading.value ? nobody : reading.note}</p>`;
  }

  private drawPeople(me: string): TemplateResult {
    const reading = read<{ people: Person[] }>(PEOPLE);
    const link = (one: Person): Promise<void> =>
      this.change(PEOPLE, 'Created. Send the link. It works once.', async () => {
        this.fresh = { place: 'people', text: (await call<{ link: string }>('POST', `${PEOPLE}/${one.id}/link`)).link };
      });
    const give = (one: Person, role: string): Promise<void> => this.change(PEOPLE, `${clip(one.name, 60)} is ${role} now.`, () => call('PATCH', `${PEOPLE}/${one.id}`, { role }));
    const shut = (one: Person): Promise<void> => this.change(PEOPLE, one.disabled ? 'Enabled.' : 'Disabled.', () => call('PATCH', `${PEOPLE}/${one.id}`, { disabled: !one.disabled }));
    const plain = (one: Person): boolean => one.id !== me && !one.disabled && one.roles.length === 1 && !one.roles[0]!.branch && !one.roles[0]!.tenant;
    return html`<section><h3>People</h3>
      ${this.drawRows(reading, reading.value?.people ?? [], 'Nobody yet.', (one) => html`
        <span class="what"><b dir="auto">${clip(one.name, 60)}</b> ${one.login === one.name ? nothing : html`<span class="none" dir="auto">${clip(one.login, 100)}</span>`}
          <span class="none more">${one.disabled ? 'disabled' : one.id === me ? `you, ${rolesInWords(one.roles)}` : [plain(one) ? '' : rolesInWords(one.roles), one.signs_in_with.length ? '' : 'has not come yet'].filter(Boolean).join(', ')}</span></span>
        ${one.id === me ? nothing : html`<span class="buttons">
          ${plain(one) ? select('role', `Role of ${clip(one.name, 60)}`, roleOptions, one.roles[0]!.role, (role) => void give(one, role)) : nothing}
          <button type="button" aria-label=${`New invite link for ${clip(one.name, 60)}`} @click=${() => void link(one)}>New invite link</button>
          ${one.disabled ? html`<button type="button" aria-label=${`Enable ${clip(one.name, 60)}`} @click=${() => void shut(one)}>Enable</button>` : holdButton('Disable', () => void shut(one), { says: `Disable ${clip(one.name, 60)}` })}</span>`}`)}
      ${this.drawFresh('people', 'Send this link. It works once, and is not shown again.')}
      <form @submit=${(event: Event) => this.submit(event, PEOPLE, 'Invited. Send the link. It works once.', async (field) => {
        const where = field('branch');
        const place = where.startsWith('tenant:') ? { tenant: where.slice('tenant:'.length) } : where ? { branch: where } : {};
        this.fresh = { place: 'people', text: (await call<{ link: string }>('POST', PEOPLE, { login: field('login'), role: field('role'), ...place })).link };
      })}>
        <input name="login" required maxlength="100" aria-label="Whom to invite: a name or an e-mail address" placeholder="name or e-mail" autocomplete="off" autocapitalize="none" spellcheck="false" />
        ${select('role', 'As', roleOptions)}${select('branch', 'Where', branchOptions())}<button>Invite</button></form></section>`;
  }

  private drawTokens(): TemplateResult {
    const reading = read<{ tokens: Token[] }>(TOKENS);
    return html`<section><h3>API tokens</h3>
      ${this.drawRows(reading, reading.value?.tokens ?? [], 'None. The command line gets one by ./molecule login.', (one) => html`
        <span class="what"><b dir="auto">${clip(one.name, 60)}</b> <code>${clip(one.prefix, 20)}…</code>
          <span class="none more">${rolesInWords([one])}, until ${clock(Date.parse(one.expires_at), Date.now())}</span></span>
        <span class="buttons">${holdButton('Revoke', () => void this.change(TOKENS, 'Revoked.', () => call('DELETE', `${TOKENS}/${one.id}`)), { says: `Revoke ${clip(one.name, 60)}` })}</span>`)}
      ${this.drawFresh('tokens', 'Keep it where the program reads it. It is not shown again.')}
      <form @submit=${(event: Event) => this.submit(event, TOKENS, 'Created. It is shown only once.', async (field) => {
        this.fresh = { place: 'tokens', text: (await call<{ auth_token: string }>('POST', TOKENS, { name: field('name'), role: field('role'), days: Number(field('days')) })).auth_token };
      })}>
        <input name="name" required maxlength="60" aria-label="What the token is for" placeholder="what for" autocomplete="off" dir="auto" />
        ${select('role', 'As', tokenRoles().map((role) => [role, role] as const))}${select('days', 'For how long', [['7', 'for a week'], ['90', 'for 90 days'], ['365', 'for a year']], '90')}<button>Create token</button></form>
      ${this.drawFresh('chats', 'Write this to the bot at Telegram within ten minutes. It works once.')}
      <form @submit=${(event: Event) => this.submit(event, TOKENS, 'Created. Send it to the bot.', async (field) => {
        this.fresh = { place: 'chats', text: `/link ${(await call<{ code: string }>('POST', '/people/me/chats', { role: field('role') })).code}` };
      })}>
        ${select('role', 'At Telegram, as', tokenRoles().map((role) => [role, role] as const))}<button>Link Telegram</button></form></section>`;
  }

  private drawSessions(): TemplateResult {
    const reading = read<{ sessions: Session[] }>(SESSIONS);
    return html`<section><h3>Sessions</h3>
      ${this.drawRows(reading, reading.value?.sessions ?? [], 'Nowhere.', (one) => html`
        <span class="what"><b>${programOf(one.agent ?? '')}</b>
          <span class="none more">${one.address ? `${clip(one.address, 60)}, ` : ''}since ${clock(Date.parse(one.created_at), Date.now())}</span></span>
        ${one.this ? html`<span class="none">this one</span>` : html`<span class="buttons"><button type="button" @click=${() => void this.change(SESSIONS, 'Signed out there.', () => call('DELETE', `${SESSIONS}/${one.id}`))}>Sign out there</button></span>`}`)}</section>`;
  }

  private drawPassword(): TemplateResult | typeof nothing {
    if (!store.who?.signs_in_with.includes('password')) return nothing;
    const tokens = read<{ tokens: Token[] }>(TOKENS).value?.tokens.length ?? 0;
    return html`<details><summary>Change password</summary>
      <form @submit=${(event: Event) => this.submitted(event, SESSIONS, async (field) => {
        const { tokens } = await call<{ tokens: number }>('POST', '/people/me/password', { old: field('old'), new: field('new'), ...(field('revoke') ? { revoke_tokens: true } : {}) });
        look({ dialog: null });
        await store.comeIn();
        return tokens ? `Password changed. ${tokens === 1 ? '1 API token stays' : `${tokens} API tokens stay`} valid. Sign in, then revoke what you do not know.` : 'Password changed. Sign in with the new one.';
      })}>
        <input name="old" type="password" required maxlength="200" aria-label="The one you have" placeholder="the one you have" autocomplete="current-password" />
        <input name="new" type="password" required minlength="12" maxlength="200" aria-label="The new one, 12 characters or more" placeholder="12 characters or more" autocomplete="new-password" />
        ${tokens ? html`<label><input name="revoke" type="checkbox" /> Revoke my ${tokens === 1 ? 'API token' : `${tokens} API tokens`}, too</label>` : nothing}<button>Change password</button></form>
      <p class="none">You are signed out everywhere then.${tokens ? ' API tokens and linked chats stay valid unless you revoke them.' : ''}</p></details>`;
  }
}

customElements.define('people-section', PeopleSection);
