package ai.molecule.runtime.echo;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EchoingTest {

    @Test
    void the_answer_comes_word_by_word() {
        assertThat(echo("hello big world", false)).containsExactly("Echo: ", "hello ", "big ", "world");
    }

    @Test
    void spaces_and_lines_stay_where_they_are() {
        assertThat(String.join("", echo(" a  b\n\nc\t ", false))).isEqualTo("Echo:  a  b\n\nc\t ");
    }

    @Test
    void who_converses_asks_instead() {
        assertThat(echo("hello big world", true)).containsExactly("? Echo: hello big world");
    }

    private static List<String> echo(String text, boolean converse) {
        var pieces = new ArrayList<String>();
        var reply = new Reply() {
            @Override
            public void chunk(String piece) {
                pieces.add(piece);
            }

            @Override
            public void text(String piece) {
                pieces.add(piece);
            }

            @Override
            public void ask(String question) {
                pieces.add("? " + question);
            }
        };
        new EchoExecutor(converse)
                .answer(new Prompt("t1", "c1", text, MissingNode.getInstance(), MissingNode.getInstance()), reply);
        return pieces;
    }
}
