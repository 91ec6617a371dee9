import { visible } from '../../main/web/visible';
import { same, test } from './harness';

/** The sentences of common's VisibleTextTest. */

const seen = (...cases: [string, string][]): void => cases.forEach(([text, shown]) => same(visible(text), shown));

test('what shows nothing or turns the text is written out', () =>
  seen(
    ['rm \u202etxt.exe', 'rm ⟨U+202E⟩txt.exe'],
    ['a\u2066b\u2069', 'a⟨U+2066⟩b⟨U+2069⟩'],
    ['pay\u200bpal', 'pay⟨U+200B⟩pal'],
    ['pay\u200dpal', 'pay⟨U+200D⟩pal'],
    ['pay\u00adpal', 'pay⟨U+00AD⟩pal'],
    ['ls\ufe0f', 'ls⟨U+FE0F⟩'],
    ['a\u{1f680}\u200db', 'a\u{1f680}⟨U+200D⟩b'],
    ['a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a\u001b[2Jb', 'a⟨U+001B⟩[2Jb'],
    ['a\ue000', 'a⟨U+E000⟩'],
    ['a\ud800', 'a⟨U+D800⟩'],
  ));

test('a letter that passes for a latin one beside latin ones is written out', () =>
  seen(
    ['p\u0430ypal.com', 'p⟨U+0430⟩ypal.com'],
    ['g\u03bfogle', 'g⟨U+03BF⟩ogle'],
    ['\u0421lean', '⟨U+0421⟩lean'],
    ['p\u200b\u0430y', 'p⟨U+200B⟩⟨U+0430⟩y'],
    ['--\u0430ll', '--⟨U+0430⟩ll'],
  ));

test('honest text of any alphabet stays as it is', () => {
  for (const text of [
    '\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd, world',
    '\u0645\u0631\u062d\u0628\u0627 \u0628\u0643\u0645',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u0915\u094d\u200d\u0937',
    '\u0443\u0434\u0430\u043b\u0438\u0442\u044c USB-\u043a\u0430\u0431\u0435\u043b\u044c',
    '\u0394x = 3 \u03bcm',
    '\u5220\u9664 report.html \u6587\u4ef6',
    'na\u00efve cafe\u0301 stra\u00dfe',
    '\u{1f469}\u200d\u{1f52c} \u{1f469}\u{1f3fd}\u200d\u{1f680} \u2764\ufe0f\u200d\u{1f525} 1\ufe0f\u20e3',
    '{"command": "ls -l"}\n\tnext',
  ])
    same(visible(text), text);
});
