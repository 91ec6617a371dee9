import { html, nothing, type TemplateResult } from 'lit';
import { Refused, call } from './api';
import { freeOf, listIn, withList } from './configlines';
import { change, changeOf, rows, saveButtons, submitted } from './forms';
import type { Agent } from './model';
import { read, type Reading } from './readings';
import { clip } from './words';

/** What an agent may do unasked, and its skills: both are lists in its config.yaml, and hold from its next start. */

const HOLDS = 'Saved. It applies from the next start.';
const SKILL_MAX = 200_000;

/** Those that are programs with tools of their own, and those without a model: nothing that the platform could hold back. */
const ITSELF = new Set(['claude-code', 'claude_code', 'codex', 'gemini-cli', 'cli', 'echo', 'delegate', 'rehearsed', 'external']);

export const isHeld = (runtime: string): boolean => !ITSELF.has(runtime);

const fileIn = (workspace: string, path: string): string => `${workspace}/files/${path}?root=/configs`;
const fileOf = (agent: Agent, path: string): string => fileIn(`/workspaces/${agent.id}`, path);

/** A list of its config.yaml, by the workspace's path. Read anew before it is written: whoever changed another line meanwhile loses nothing. */
export async function rewrite(workspace: string, key: string, names: (now: string[] | null) => string[] | null): Promise<void> {
  const file = fileIn(workspace, 'config.yaml');
  const { content } = await call<{ content: string }>('GET', file);
  const written = withList(content, key, names(listIn(content, key).names));
  if (written !== content) await call('PUT', file, { content: written });
}

/** Its text, or why there is none: agents that live elsewhere have no such file, and asking for it would be an error on every visit. */
function configOf(agent: Agent): Reading<string> {
  const listing = read<{ path: string }[]>(`/workspaces/${agent.id}/files?root=/configs`);
  if (!Array.isArray(listing.value)) return { value: null, note: listing.note };
  if (!listing.value.some((one) => one.path === 'config.yaml')) return { value: null, note: 'Its settings are kept elsewhere.' };
  const reading = read<{ content: string }>(fileOf(agent, 'config.yaml'));
  return { value: reading.value?.content ?? null, note: reading.note };
}

export function drawMay(agent: Agent): TemplateResult {
  const path = fileOf(agent, 'config.yaml');
  return html`<section class="may"><h3>Allowed without approval</h3>${isHeld(agent.runtime) ? drawUnasked(agent, path) : html`<p class="none">It has its own tools, or none: the platform cannot hold them back.</p>`}</section>`;
}

function drawUnasked(agent: Agent, path: string): TemplateResult {
  const { value: config, note } = configOf(agent);
  if (config === null) return html`<p class="none">${note}</p>`;
  const unasked = listIn(config, 'unasked');
  const tools = listIn(config, 'tools');
  if (!unasked.plain || !tools.plain) return html`<p class="none">It is written in a way that is not changed here; see <code>config.yaml</code> under Inside.</p>`;
  const named = unasked.names;
  const free = freeOf(config);
  const others = (named ?? []).filter((name) => !free.some((one) => one.name === name) && name !== 'files');
  if (!free.length && named === null) return html`<p class="none">It has no tool that acts: there is nothing to ask about.</p>`;
  const isFree = (name: string): boolean => named === null || named.includes(name) || (named.includes('files') && (name === 'write' || name === 'edit'));
  return html`<form class="ticks" @submit=${(event: Event) => {
      const { form } = submitted(event);
      const ticked = [...form.querySelectorAll<HTMLInputElement>('input:checked')].map((one) => one.value);
      // all that it has, those tools included that it gets some day, is another thing than all that it has now
      void changeOf(event, agent, path, () => rewrite(`/workspaces/${agent.id}`, 'unasked', () => (ticked.includes('*') ? null : ticked)), HOLDS);
    }}>
      <label><input type="checkbox" value="*" .checked=${named === null} @change=${(event: Event) => tickAll(event.target as HTMLInputElement)} /> Everything, and what it gets later</label>
      ${[...free, ...others.map((name) => ({ name, words: name }))].map((one) => html`<label class="one"><input type="checkbox" value=${one.name} .checked=${isFree(one.name)} ?disabled=${named === null} /> ${clip(one.words, 60)}</label>`)}
      <p class="none">What is not ticked asks you each time, with what exactly it is about to do.</p>
      ${saveButtons()}
    </form>`;
}

function tickAll(all: HTMLInputElement): void {
  for (const one of all.form!.querySelectorAll<HTMLInputElement>('.one input')) {
    one.disabled = all.checked;
    if (all.checked) one.checked = true;
  }
}

export interface Plugin {
  name: string;
  description?: string;
  skills?: string[] | null;
  supported_on_runtime?: boolean;
}

/** Its own, and those that come with its plugins. */
export function drawSkills(agent: Agent, plugins: Plugin[]): TemplateResult {
  const path = fileOf(agent, 'config.yaml');
  const folder = `/workspaces/${agent.id}/files?root=/configs&path=skills`;
  const config = configOf(agent).value;
  const there = read<{ path: string; dir: boolean }[]>(folder);
  const known = Array.isArray(there.value) ? there.value.filter((one) => one.dir && one.path).map((one) => one.path) : [];
  const named = config === null ? [] : (listIn(config, 'skills').names ?? []);
  const brought = plugins.flatMap((plugin) => (plugin.skills ?? []).map((skill) => ({ skill, plugin: plugin.name })));
  const own = [...new Set([...named, ...known])];
  return html`<section><h3>Skills</h3>
    ${rows({ value: own, note: '' }, brought.length ? '' : 'None.', (skill) => html`<li><b dir="auto">${clip(skill, 60)}</b>
      <span class="none">${named.includes(skill) ? (known.includes(skill) ? '' : 'its folder is not there') : 'lies ready, not used'}</span>
      ${named.includes(skill)
        ? html`<button aria-label="Disable the skill ${clip(skill, 60)}" @click=${() => void change(path, () => rewrite(`/workspaces/${agent.id}`, 'skills', (now) => (now ?? []).filter((one) => one !== skill)), HOLDS)}>Disable</button>`
        : html`<button aria-label="Enable the skill ${clip(skill, 60)}" @click=${() => void change(path, () => rewrite(`/workspaces/${agent.id}`, 'skills', (now) => [...(now ?? []), skill]), HOLDS)}>Enable</button>`}</li>`)}
    ${brought.length ? html`<ul class="rows">${brought.slice(0, 50).map((one) => html`<li><b dir="auto">${clip(one.skill, 60)}</b><span class="none" dir="auto">of the plugin ${clip(one.plugin, 60)}</span></li>`)}</ul>` : nothing}
    ${config === null ? nothing : html`<details><summary>Add skill</summary><form class="skill" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      const name = field('skill');
      void change(`/workspaces/${agent.id}/files`, async () => {
        await notThere(fileOf(agent, `skills/${name}/SKILL.md`));
        await call('PUT', fileOf(agent, `skills/${name}/SKILL.md`), { content: `---\nname: ${name}\ndescription: ${JSON.stringify(field('about'))}\n---\n\n${field('words')}\n` });
        await rewrite(`/workspaces/${agent.id}`, 'skills', (now) => [...(now ?? []), name]);
      }, HOLDS, form);
    }}>
      <input name="skill" required pattern="[a-z0-9][a-z0-9\\-]*" maxlength="60" aria-label="Name of the skill" placeholder="skill-name" autocomplete="off" />
      <input name="about" required maxlength="500" aria-label="When to use it" placeholder="when to use it" dir="auto" autocomplete="off" />
      <textarea name="words" required maxlength=${SKILL_MAX} rows="4" aria-label="What to do" placeholder="What to do, step by step" dir="auto"></textarea>
      <button>Add skill</button></form></details>`}
  </section>`;
}

async function notThere(path: string): Promise<void> {
  try {
    await call('GET', path);
  } catch (failure) {
    if (failure instanceof Refused && failure.status === 404) return;
    throw failure;
  }
  throw new Error('It has a skill of that name already; its folder is under Logs & files.');
}
