package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A socket that stays open and says nothing any more is noticed, said, and opened anew. */
class SilentSocketTest extends VisitToThePage {

    private List<String> studio;

    @BeforeEach
    void look() {
        studio = studio();
        browser.go(platform.url()).see("Backend");
        await().until(() -> platform.sinces.size() == 1);
    }

    @Test
    void a_socket_that_does_not_answer_for_ninety_seconds_is_opened_anew_and_misses_nothing() {
        platform.deaf = true;
        platform.works(studio.get(2), "what nobody heard");
        later(61);
        await().until(() -> platform.views.contains("{\"view\":null}"));
        platform.dead = true; // so that what is said can be seen
        later(31);
        browser.see("Disconnected since");
        platform.dead = false;
        platform.deaf = false;

        await().until(() -> platform.sinces.size() > 1);
        browser.see("what nobody heard");
    }

    @Test
    void a_quiet_socket_that_answers_stays() {
        later(61);
        await().until(() -> platform.views.contains("{\"view\":null}"));
        later(31);
        browser.script("return new Promise((done) => setTimeout(done, 2_000))"); // it is looked after each second

        assertThat(platform.sinces).hasSize(1);
        browser.seeNot("Disconnected since");
    }

    @Test
    void an_inbox_that_moved_without_a_word_of_the_socket_has_it_opened_anew() {
        platform.deaf = true;
        platform.asks(studio.get(3), "publish the report", "");
        browser.script("document.dispatchEvent(new Event('visibilitychange'))"); // the inbox is read, as every 15 s
        browser.see("publish the report");
        platform.deaf = false; // for whoever comes anew

        later(6);
        await().until(() -> platform.sinces.size() > 1);
    }

    private static void later(int seconds) {
        browser.script("const now = Date.now; Date.now = () => now() + " + seconds * 1_000);
    }
}
