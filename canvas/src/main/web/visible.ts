/** What shows nothing or passes for another letter, in texts of others, written out: ⟨U+202E⟩. The same table and rule as common's LookAlikes and VisibleText. */

/** Code points, both ends included. */
const UNSEEN: readonly (readonly [number, number])[] = [
  [0x0000, 0x0008], [0x000b, 0x001f], [0x007f, 0x009f], [0x00ad, 0x00ad], [0x034f, 0x034f], [0x061c, 0x061c], [0x115f, 0x1160], [0x17b4, 0x17b5],
  [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x2800, 0x2800], [0x3164, 0x3164], [0xd800, 0xf8ff], [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a], [0xe0000, 0x10ffff],
];

/** Letters of Cyrillic, Greek and Armenian that look like Latin ones. */
const LOOK_LATIN = new Set(
  '\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423\u04ae\u0474\u051a\u051c\u04c0\u0401\u0407' + // Cyrillic capitals
  '\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u043a\u043e\u0440\u051b\u0455\u0475\u051d\u0445\u0443\u04af\u04cf\u0451\u0457' + // Cyrillic small letters
  '\u0391\u0392\u03f9\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u037f' + // Greek capitals
  '\u03b1\u03f2\u03b7\u03b9\u03f3\u03ba\u03bf\u03c1\u03bd\u03c5\u03b3\u03c7' + // Greek small letters
  '\u0555\u054f\u0585\u057d\u0570\u0566\u0578', // Armenian
);

const HARMLESS = /^[\x20-\x7e\n\t]*$/;
const WORD = /[\p{L}\p{M}\p{N}\p{Cf}\u034f]+/gu;
const LATIN = /\p{Script=Latin}/u;
const PICTURE = /^\p{Extended_Pictographic}$/u;
const SKIN = /^\p{Emoji_Modifier}$/u;

const written = (letter: string): string => `⟨U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Tabs and ends of lines stay. */
export function visible(text: string): string {
  if (HARMLESS.test(text)) return text;
  const letters = [...text.replace(WORD, (word) => (LATIN.test(word) ? [...word].map((one) => (LOOK_LATIN.has(one) ? written(one) : one)).join('') : word))];
  return letters.map((letter, i) => (isUnseen(letter) && !isNeeded(letters[i - 1] ?? '', letter, letters[i + 1] ?? '') ? written(letter) : letter)).join('');
}

function isUnseen(letter: string): boolean {
  const code = letter.codePointAt(0)!;
  return UNSEEN.some(([first, last]) => first <= code && code <= last);
}

/** Emoji, Arabic and the alphabets of India have joiners and selectors of their own. */
function isNeeded(before: string, unseen: string, after: string): boolean {
  if (unseen === '\ufe0e' || unseen === '\ufe0f') return PICTURE.test(before) || (/^[0-9#*]$/.test(before) && after === '\u20e3');
  const joins = isJoining(before) && isJoining(after);
  if (unseen === '\u200d') return joins || ((PICTURE.test(before) || SKIN.test(before) || before === '\ufe0f') && PICTURE.test(after));
  return unseen === '\u200c' && joins;
}

const isJoining = (letter: string): boolean => /^[\u0620-\u0dff]$/.test(letter);
