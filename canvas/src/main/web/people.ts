import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import { forget, read } from './readings';
import { store } from './store';
import { Part, toast } from './view';
import { clip, clock } from './words';

interface Person {
  id: string;
  login: string;
  name: string;
  roles: { role: string; branch?: string }[];
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
  expires_at: string;
}

const ROLES = ['viewer', 'operator', 'owner'];

/** Who signed in: where else, with which tokens; and for owners everybody. */
class PeopleSection extends Part {
  private fresh = '';

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override render(): TemplateResult {
    const who = store.who;
    if (!who) return html``;
    const owner = who.roles.some((one) => one.role === 'owner' && !one.branch);
    return html`
      <p>You are <b dir="auto">${clip(who.name, 60)}</b> (<code>${clip(who.login, 100)}</code>), ${who.roles.map((one) => one.role + (one.branch ? ' of a branch' : '')).join(', ') || 'without a role'}.</p>
      ${this.fresh ? html`<pre class="paste" tabindex="0" aria-label="Shown this once">${this.fresh}</pre>` : nothing}
      ${this.drawSessions()}${this.drawTokens()}${owner ? this.drawPeople() : nothing}
    `;
  }

  private async change(path: string, done: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      forget(path);
      toast(done);
    } catch (failure) {
      toast(says(failure));
    }
    this.requestUpdate();
  }

  private drawSessions(): TemplateResult {
    const found = read<{ sessions: Session[] }>('/sessions').value?.sessions ?? [];
    return html`<section><h3>Where you are signed in</h3><ul>${found.map((one) => html`<li>
      <span>${clip(one.agent ?? 'a browser', 60)}</span> <span class="none">${one.address ?? ''} since ${clock(Date.parse(one.created_at), Date.now())}</span>
      ${one.this ? html`<span class="none">this one</span>` : html`<button type="button" @click=${() => void this.change('/sessions', 'Signed out there.', () => call('DELETE', `/sessions/${one.id}`))}>Sign out</button>`}</li>`)}</ul></section>`;
  }

  private drawTokens(): TemplateResult {
    const path = '/people/me/tokens';
    const found = read<{ tokens: Token[] }>(path).value?.tokens ?? [];
    const make = (event: Event): void => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      const data = new FormData(form);
      void this.change(path, 'Made. It is shown this once.', async () => {
        this.fresh = (await call<{ auth_token: string }>('POST', path, { name: data.get('name'), role: data.get('role') })).auth_token;
        form.reset();
      });
    };
    return html`<section><h3>Tokens for programs</h3><ul>${found.map((one) => html`<li>
      <span dir="auto">${clip(one.name, 60)}</span> <code>${clip(one.prefix, 20)}…</code> <span class="none">${one.role}, until ${clock(Date.parse(one.expires_at), Date.now())}</span>
      <button type="button" @click=${() => void this.change(path, 'Revoked.', () => call('DELETE', `${path}/${one.id}`))}>Revoke</button></li>`)}</ul>
      <form @submit=${make}><input name="name" required maxlength="60" aria-label="What it is for" placeholder="what for" autocomplete="off" />${choice()}<button>Make one</button></form></section>`;
  }

  private drawPeople(): TemplateResult {
    const path = '/people';
    const found = read<{ people: Person[] }>(path).value?.people ?? [];
    const invite = (event: Event): void => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      const data = new FormData(form);
      void this.change(path, 'Invited. Send the link; it works once.', async () => {
        this.fresh = (await call<{ link: string }>('POST', path, { login: data.get('login'), role: data.get('role') })).link;
        form.reset();
      });
    };
    return html`<section><h3>People</h3><ul>${found.map((one) => html`<li>
      <span dir="auto">${clip(one.name, 60)}</span> <code>${clip(one.login, 100)}</code>
      <span class="none">${one.disabled ? 'shut out' : one.signs_in_with.length ? one.roles.map((role) => role.role).join(', ') : 'has not come yet'}</span>
      ${one.id === store.who?.id ? nothing : html`
        <button type="button" @click=${() => void this.change(path, 'Made. Send the link; it works once.', async () => { this.fresh = (await call<{ link: string }>('POST', `${path}/${one.id}/link`)).link; })}>New link</button>
        <button type="button" @click=${() => void this.change(path, one.disabled ? 'Let in again.' : 'Shut out.', () => call('PATCH', `${path}/${one.id}`, { disabled: !one.disabled }))}>${one.disabled ? 'Let in' : 'Shut out'}</button>`}</li>`)}</ul>
      <form @submit=${invite}><input name="login" required maxlength="100" aria-label="Name or e-mail" placeholder="name or e-mail" autocomplete="off" autocapitalize="none" />${choice()}<button>Invite</button></form></section>`;
  }
}

const choice = (): TemplateResult => html`<select name="role" aria-label="Role">${ROLES.map((role) => html`<option>${role}</option>`)}</select>`;

customElements.define('people-section', PeopleSection);
