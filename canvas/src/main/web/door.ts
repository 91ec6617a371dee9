import { html, nothing, type TemplateResult } from 'lit';
import { call, keepSecret, says } from './api';
import { tokenRoles } from './rights';
import { store } from './store';
import { clip } from './words';

/** Who comes: by a name, at a provider, by a link that works once, or with the platform's key; and a program that asks to be let in. */

interface Ways {
  password: boolean;
  providers: { id: string; name: string }[];
}

/** What stood behind the # when the page was opened. It is taken out of the address at once, so that it stays in no history. */
const came = new URLSearchParams(location.hash.slice(1));
const asked = { link: came.get('link') ?? '', first: came.has('first'), device: came.get('device'), refused: came.get('sign-in') === 'refused' };
if (asked.link || asked.device !== null || asked.refused) history.replaceState(null, '', location.pathname + location.search);

/** What a program may be let in as. */
const AS: Record<string, string> = { viewer: 'viewer: looks, changes nothing', operator: 'operator: acts', owner: 'owner: rules' };

let ways: Ways | null = null;
let byKey = false;
let note = asked.refused ? 'That sign-in is not believed, or you are not known here. Ask an owner for an invitation.' : '';
let program: { code: string; name: string; address: string } | null = null;

function say(text: string): void {
  note = text;
  store.changed();
}

function fields(event: Event): (name: string) => string {
  event.preventDefault();
  const data = new FormData(event.target as HTMLFormElement);
  return (name) => String(data.get(name) ?? '');
}

async function lookForWays(): Promise<void> {
  ways = { password: false, providers: [] };
  try {
    ways = (await call<{ ways?: Ways }>('GET', '/session')).ways ?? ways;
  } catch {
    // then with the key, as ever
  }
  store.changed();
}

async function atProvider(id: string): Promise<void> {
  try {
    const begun = await call<{ url: string; csrf_token?: string }>('POST', `/sign-in/${encodeURIComponent(id)}`, asked.link ? { link: asked.link } : {});
    keepSecret(begun.csrf_token);
    location.assign(begun.url);
  } catch (failure) {
    say(says(failure));
  }
}

const providerButtons = (): TemplateResult[] => (ways?.providers ?? []).map((one) => html`<button type="button" @click=${() => void atProvider(one.id)}>Sign in with <span dir="auto">${clip(one.name, 40)}</span></button>`);

/** Whether somebody came by a link, which asks before anything else. */
export const comesByLink = (): boolean => !!asked.link;

/** Whether somebody came to let a program in, and is somebody. */
export const letsIn = (): boolean => asked.device !== null && !!store.who;

export function drawDoor(refusal: string): TemplateResult {
  if (ways === null) void lookForWays();
  if (asked.link) return drawLink();
  const named = !byKey && !!ways && (ways.password || ways.providers.length > 0);
  const said = refusal || note;
  return html`
    <main class="opening">
      <form @submit=${(event: Event) => {
        const field = fields(event);
        note = '';
        void store.signIn(named ? { login: field('login').trim(), password: field('password') } : { token: field('key').trim() });
      }}>
        <h1>Molecule</h1>
        ${named
          ? html`
            ${asked.device !== null ? html`<p>A program asks to sign in. Sign in first.</p>` : nothing}
            ${ways?.password ? html`
              <label for="login">Name or e-mail</label>
              <input id="login" name="login" required maxlength="100" autocomplete="username" autocapitalize="none" spellcheck="false" autofocus />
              <label for="password">Password</label>
              <input id="password" name="password" type="password" required maxlength="200" autocomplete="current-password" aria-describedby="key-note" />` : nothing}
            <p id="key-note" role="status">${said || 'You stay signed in for 12 hours, or until you sign out.'}</p>
            ${ways?.password ? html`<button class="primary">Sign in</button>` : nothing}
            ${providerButtons()}
            <button type="button" class="inline" @click=${() => { byKey = true; say(''); }}>Use the platform’s key</button>`
          : html`
            <p>This platform asks who you are. Its key is the <code>ADMIN_TOKEN</code>; <code>./molecule up</code> says where it lies.</p>
            <label for="key">Key</label>
            <input id="key" name="key" type="password" required autocomplete="off" autofocus aria-describedby="key-note" />
            <p id="key-note" role="status">${said || 'This page does not keep it. You stay signed in for 12 hours, or until you sign out.'}</p>
            <button class="primary">Sign in</button>
            ${byKey ? html`<button type="button" class="inline" @click=${() => { byKey = false; say(''); }}>Sign in with a name</button>` : nothing}`}
      </form>
    </main>
  `;
}

/** For somebody new, and for who forgot a password. The first owner says a name; others have one. */
function drawLink(): TemplateResult {
  const come = async (event: Event): Promise<void> => {
    const field = fields(event);
    if (field('password') !== field('again')) return say('The two passwords differ.');
    const first = field('login').trim();
    try {
      const come = await call<{ csrf_token?: string }>('POST', '/people/accept', { link: asked.link, password: field('password'), ...(first ? { login: first, name: field('name').trim() || first } : {}) });
      keepSecret(come.csrf_token);
      asked.link = '';
      note = '';
      await store.comeIn();
    } catch (failure) {
      say(says(failure));
    }
  };
  return html`
    <main class="opening">
      <form @submit=${(event: Event) => void come(event)}>
        <h1>Welcome to Molecule</h1>
        <p>This link works once. ${asked.first ? 'Whoever comes by it owns this platform, and invites the others.' : 'Choose how you sign in from now on.'}</p>
        ${asked.first
          ? html`
            <label for="login">Name or e-mail to sign in with</label>
            <input id="login" name="login" required maxlength="100" autocomplete="username" autocapitalize="none" spellcheck="false" autofocus />
            <label for="name">Your name</label>
            <input id="name" name="name" maxlength="60" autocomplete="name" dir="auto" />`
          : nothing}
        <label for="password">A password of 12 characters or more</label>
        <input id="password" name="password" type="password" required minlength="12" maxlength="200" autocomplete="new-password" />
        <label for="again">Confirm password</label>
        <input id="again" name="again" type="password" required maxlength="200" autocomplete="new-password" aria-describedby="key-note" />
        <p id="key-note" role="status">${note}</p>
        <button class="primary">Create account</button>
        ${providerButtons()}
        <button type="button" class="inline" @click=${() => { asked.link = ''; say(''); void store.comeIn(); }}>Skip</button>
      </form>
    </main>
  `;
}

/** A program showed a code and waits. Nothing is allowed before its name and address were read. */
export function drawProgram(): TemplateResult {
  const find = async (code: string): Promise<void> => {
    try {
      program = { code, ...(await call<{ name: string; address: string }>('GET', `/device/requests/${encodeURIComponent(code)}`)) };
      say('');
    } catch (failure) {
      program = null;
      say(says(failure));
    }
  };
  const decide = async (allow: boolean, role: string): Promise<void> => {
    try {
      await call('POST', `/device/requests/${encodeURIComponent(program?.code ?? '')}`, allow ? { allow, role } : { allow });
      program = null;
      asked.device = null;
      note = '';
      store.changed();
    } catch (failure) {
      say(says(failure));
    }
  };
  const known = program;
  return html`
    <main class="opening">
      ${known === null
        ? html`<form @submit=${(event: Event) => void find(fields(event)('code').trim())}>
            <h1>Allow a program to sign in</h1>
            <label for="code">The code it shows</label>
            <input id="code" name="code" required maxlength="12" autocomplete="off" autocapitalize="characters" autofocus .value=${asked.device ?? ''} aria-describedby="key-note" />
            <p id="key-note" role="status">${note}</p>
            <button class="primary">Look</button>
            <button type="button" class="inline" @click=${() => { asked.device = null; say(''); }}>Skip</button>
          </form>`
        : html`<form @submit=${(event: Event) => void decide(true, fields(event)('role'))}>
            <h1>Allow a program to sign in</h1>
            <p><b dir="auto">${clip(known.name, 100)}</b> at ${clip(known.address, 60)} asks to act as you for 90 days. Say yes only if you started it yourself.</p>
            <label for="role">As</label>
            <select id="role" name="role">${tokenRoles().map((role, i, all) => html`<option value=${role} ?selected=${role === 'operator' || (i === 0 && all.length === 1)}>${AS[role]}</option>`)}</select>
            <p id="key-note" role="status">${note}</p>
            <button class="primary">Allow</button>
            <button type="button" @click=${() => void decide(false, '')}>Deny</button>
          </form>`}
    </main>
  `;
}
