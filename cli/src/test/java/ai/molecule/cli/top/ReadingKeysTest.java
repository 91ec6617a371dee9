package ai.molecule.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.top.Key.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What terminals send, as keys. */
class ReadingKeysTest {

    @Test
    void arrows_pages_and_controls_are_keys_in_both_modes_of_terminals() throws IOException {
        assertThat(kinds("\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[H\u001b[4~\u001b[Z\t\r\u007f\u0015\u000c\u0003"))
                .containsExactly(
                        Kind.UP,
                        Kind.DOWN,
                        Kind.PAGE_UP,
                        Kind.PAGE_DOWN,
                        Kind.HOME,
                        Kind.END,
                        Kind.BACK_TAB,
                        Kind.TAB,
                        Kind.ENTER,
                        Kind.BACKSPACE,
                        Kind.CLEAR,
                        Kind.REDRAW,
                        Kind.LEAVE);
    }

    @Test
    void an_escape_alone_is_the_key_and_what_nobody_knows_is_no_text() throws IOException {
        assertThat(kinds("\u001b")).startsWith(Kind.ESCAPE);
        assertThat(read("\u001bq")).startsWith(Key.of(Kind.ESCAPE), Key.typed('q'));
        assertThat(kinds("\u001b\u001b[A")).startsWith(Kind.ESCAPE, Kind.UP);
        assertThat(kinds("\u001b[38;5;1;2;3;4;5;6;7;8;9m")).doesNotContain(Kind.ESCAPE);
        assertThat(kinds("\u001b[1;5Cq")).startsWith(Kind.OTHER, Kind.TYPED);
    }

    @Test
    void letters_of_all_scripts_are_typed_whole() throws IOException {
        assertThat(read("ä\ud83d\ude80")).startsWith(Key.typed('ä'), Key.typed(0x1f680));
    }

    @Test
    void what_is_pasted_is_text_and_never_a_command() throws IOException {
        assertThat(kinds("\u001b[200~dy\n\u001b[201~d"))
                .containsExactly(Kind.OTHER, Kind.PASTED, Kind.PASTED, Kind.PASTED, Kind.OTHER, Kind.TYPED, Kind.LEAVE);
    }

    private static List<Kind> kinds(String typed) throws IOException {
        return read(typed).stream().map(Key::kind).toList();
    }

    private static List<Key> read(String typed) throws IOException {
        int[] at = {0};
        var keys =
                new Keys(millis -> at[0] < typed.length() ? typed.charAt(at[0]++) : millis == 0 ? Keys.END : Keys.LATE);
        var all = new ArrayList<Key>();
        do {
            all.add(keys.next());
        } while (all.getLast().kind() != Kind.LEAVE || at[0] < typed.length());
        return all;
    }
}
