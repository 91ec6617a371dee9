import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import './inside.css';
import type { Agent, LoggedEvent } from './model';
import { blocksOf } from './reader';
import { change, isChanging, submitted } from './forms';
import { forget, read } from './readings';
import { drawRecordOf } from './record';
import { mayAct } from './rights';
import { store } from './store';
import { section } from './view';
import { clip, clock } from './words';

/** An agent from inside: its files, what it remembers, what happened to it. */

interface Entry {
  path: string;
  size: number;
  dir: boolean;
}

const ROOTS = ['/workspace', '/configs', '/home'];
const SHOWN = 200;
const TEXT_MAX = 60_000;

let place = { agentId: '', root: '/workspace', folder: '', file: '' };

export function drawInside(agent: Agent): TemplateResult {
  if (place.agentId !== agent.id) place = { agentId: agent.id, root: '/workspace', folder: '', file: '' };
  return html`<div class="inside">${[drawConsole, drawWebServers, drawFiles, drawMemory, drawEvents, drawRecordOf, drawRaw].map((draw) => section(() => draw(agent)))}
    <div class="buttons"><button @click=${() => { forget(`/workspaces/${agent.id}/`); forget(`/events/${agent.id}`); }}>Refresh</button></div></div>`;
}

/** Of one that runs elsewhere nobody here reads what it prints. */
function drawConsole(agent: Agent): TemplateResult {
  const reading = agent.runtime === 'external' ? null : read<{ output: string }>(`/workspaces/${agent.id}/console`);
  const output = reading?.value?.output;
  return html`<section><h3>Logs</h3>
    ${output ? html`<pre class="console" tabindex="0" aria-label="Logs" dir="auto">${output}</pre>` : html`<p class="none">${!reading ? 'The agent runs elsewhere; its logs are there.' : output === '' ? 'No logs yet.' : reading.note}</p>`}</section>`;
}

/** Web servers that it started: their pages have a host name of their own, so that they share no cookie with this one. */
function drawWebServers(agent: Agent): TemplateResult {
  if (store.past || agent.runtime === 'external' || !mayAct(agent.id)) return html``;
  const path = `/workspaces/${agent.id}/preview`;
  const listed = read<{ ports: number[]; reason: string | null }>(path).value;
  if (!listed || listed.reason) return html``;
  return html`<section><h3>Web servers</h3>
    ${listed.ports.length ? html`<div class="buttons">${listed.ports.slice(0, SHOWN).map((port) => html`<button @click=${() => openWebServer(path, port)}>Open port ${port}</button>`)}</div>` : html`<p class="none">No web server yet. Ask the agent to start one on 127.0.0.1, then refresh.</p>`}</section>`;
}

/** The tab is opened at once, since browsers open none later; until it has its address it is empty. */
function openWebServer(path: string, port: number): void {
  if (isChanging() || store.past) return;
  const tab = window.open('about:blank', '_blank');
  if (tab) tab.opener = null;
  void change(path, async () => {
    try {
      const { url } = await call<{ url: string }>('POST', path, { port });
      if (!/^https?:\/\//.test(url)) throw new Error('The platform gave no address.');
      if (tab) tab.location.replace(url);
      else throw new Error('Your browser opened no tab. Allow pop-ups for this page, then try again.');
    } catch (failure) {
      tab?.close();
      throw failure;
    }
  }, `Port ${port} opened in a new tab.`);
}

function go(to: Partial<typeof place>): void {
  Object.assign(place, to);
  store.changed();
}

function drawFiles(agent: Agent): TemplateResult {
  const base = `/workspaces/${agent.id}/files`;
  const { root, folder, file } = place;
  const listing = read<Entry[]>(`${base}?root=${root}${folder ? `&path=${encodeURIComponent(folder)}` : ''}`);
  const entries = Array.isArray(listing.value) ? listing.value.filter((one) => one.path) : null;
  const inFolder = (path: string) => (folder ? `${folder}/${path}` : path);
  return html`<section><h3>Files</h3>
    <div class="where"><select aria-label="Folder of the agent" @change=${(event: Event) => go({ root: (event.target as HTMLSelectElement).value, folder: '', file: '' })}>
      ${ROOTS.map((one) => html`<option .selected=${one === root}>${one}</option>`)}</select>
      ${folder ? html`<button @click=${() => go({ folder: folder.split('/').slice(0, -1).join('/'), file: '' })}>↑ ${clip(folder, 60)}</button>` : nothing}</div>
    ${entries === null ? html`<p class="none">${listing.note}</p>` : entries.length ? html`<ul class="rows">${entries.slice(0, SHOWN).map((one) => html`<li>
      <button class="plain" aria-expanded=${file === inFolder(one.path) ? 'true' : 'false'} @click=${() => (one.dir ? go({ folder: inFolder(one.path), file: '' }) : go({ file: file === inFolder(one.path) ? '' : inFolder(one.path) }))}><span class="name" dir="auto">${clip(one.path, 120)}${one.dir ? '/' : ''}</span></button>
      <span class="none">${one.dir ? '' : size(one.size)}</span></li>`)}</ul>` : html`<p class="none">Empty.</p>`}
    ${file ? drawFile(agent, `${base}/${file.split('/').map(encodeURIComponent).join('/')}?root=${root}`, file) : nothing}
  </section>`;
}

/** The file that is being changed, by its path in the API; one at a time. */
let written = '';

function drawFile(agent: Agent, path: string, name: string): TemplateResult {
  const reading = read<{ content: string }>(path);
  const content = reading.value?.content;
  const changes = !store.past && mayAct(agent.id);
  if (content !== undefined && written === path && changes) return drawWriting(path, name, content);
  return html`${content === undefined || !changes || content.length > TEXT_MAX ? nothing : html`<div class="buttons"><button aria-label="Edit ${clip(name, 80)}" @click=${() => { written = path; store.changed(); }}>Edit file</button></div>`}
    <article class="paper" tabindex="0" aria-label="What is in ${clip(name, 80)}">
    ${content === undefined ? html`<p class="none">${reading.note}</p>` : html`${blocksOf(name, content.slice(0, TEXT_MAX)).map((block) => (block.kind === 'code' ? html`<pre dir="auto">${block.text}</pre>` : html`<p class=${block.kind} dir="auto">${block.text}</p>`))}
      ${content.length > TEXT_MAX ? html`<p class="none">Only the beginning is shown.</p>` : nothing}${content ? nothing : html`<p class="none">Empty.</p>`}`}
  </article>`;
}

function drawWriting(path: string, name: string, content: string): TemplateResult {
  const leave = (): void => { written = ''; store.changed(); };
  return html`<form class="writing" @submit=${(event: Event) => {
      const { form } = submitted(event);
      const text = form.querySelector('textarea')!.value; // as it is, spaces at its ends too
      void change(path, async () => { await call('PUT', path, { content: text }); written = ''; }, `Saved ${clip(name, 60)}.`);
    }}><textarea rows="16" maxlength=${TEXT_MAX} spellcheck="false" dir="auto" aria-label="What ${clip(name, 80)} says" .defaultValue=${content}></textarea>
    <div class="buttons"><button class="primary">Save</button><button type="button" @click=${leave}>Cancel</button></div></form>`;
}

const size = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`);

function drawMemory(agent: Agent): TemplateResult {
  const told = read<{ id: string; content: string; scope: string; created_at: string }[]>(`/workspaces/${agent.id}/memories?limit=50`);
  const keys = read<{ key: string; value: unknown }[]>(`/workspaces/${agent.id}/memory`);
  const memories = Array.isArray(told.value) ? told.value : [];
  const values = Array.isArray(keys.value) ? keys.value : [];
  return html`<section><h3>Memory</h3>
    ${told.value === null ? html`<p class="none">${told.note}</p>` : nothing}
    ${told.value !== null && !memories.length && !values.length ? html`<p class="none">No memory yet.</p>` : nothing}
    <ul class="rows tall">
      ${memories.map((one) => html`<li><span dir="auto">${clip(one.content, 400)}</span><span class="none">${one.scope === 'LOCAL' ? '' : one.scope === 'TEAM' ? 'its team' : 'everybody'} ${clock(Date.parse(one.created_at), Date.now())}</span>
        ${store.past || !mayAct(agent.id) ? nothing : html`<button aria-label="Delete memory: ${clip(one.content, 60)}" @click=${() => void change(`/workspaces/${agent.id}/memories`, () => call('DELETE', `/workspaces/${agent.id}/memories/${one.id}`), 'Deleted.')}>Delete</button>`}</li>`)}
      ${values.slice(0, SHOWN).map((one) => html`<li><code>${clip(one.key, 80)}</code><span class="none" dir="auto">${clip(JSON.stringify(one.value) ?? '', 200)}</span></li>`)}
    </ul></section>`;
}

function drawEvents(agent: Agent): TemplateResult {
  const reading = read<LoggedEvent[]>(`/events/${agent.id}?limit=30`);
  return html`<section><h3>Events</h3>
    ${reading.value === null ? html`<p class="none">${reading.note}</p>` : nothing}
    ${Array.isArray(reading.value) && !reading.value.length ? html`<p class="none">Nothing yet.</p>` : nothing}
    <ul class="rows">${(Array.isArray(reading.value) ? reading.value : []).map((one) => html`<li><details><summary>${one.event_type.toLowerCase().replaceAll('_', ' ')} <span class="time">${clock(Date.parse(one.created_at), Date.now())}</span></summary>
      <pre dir="auto">${JSON.stringify(one.payload, null, 1).slice(0, 4_000)}</pre></details></li>`)}</ul></section>`;
}

/** All that the platform says of it, as it says it. */
function drawRaw(agent: Agent): TemplateResult {
  return html`<section><h3>JSON</h3><details class="raw" @toggle=${() => store.changed()}><summary>GET /workspaces/${agent.id.slice(0, 8)}…</summary>${raw(agent)}</details></section>`;
}

function raw(agent: Agent): TemplateResult | typeof nothing {
  if (!document.querySelector('.raw[open]')) return nothing; // read when somebody looks
  const { value, note } = read<unknown>(`/workspaces/${agent.id}`);
  return value === null ? html`<p class="none">${note}</p>` : html`<pre dir="auto">${JSON.stringify(value, null, 1).slice(0, TEXT_MAX)}</pre>`;
}
