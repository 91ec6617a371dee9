package ai.molecule.cli.steer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.testkit.Waits;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Answers and events as they come to a terminal, and what somebody is told who waits for them. */
class ListeningTest extends AtATerminal {

    @Test
    void an_answer_is_printed_as_it_comes() {
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"submitted"}}}

                data: {"result":{"kind":"status-update","taskId":"t-1","status":{"state":"working","message":{"parts":[{"text":"thinking"}]}}}}

                data: {"result":{"kind":"artifact-update","taskId":"t-1","artifact":{"parts":[{"kind":"text","text":"first line\\nsecond "}]}}}

                data: {"result":{"kind":"artifact-update","taskId":"t-1","append":true,"artifact":{"parts":[{"kind":"text","text":"half"}]}}}

                data: {"result":{"kind":"status-update","taskId":"t-1","final":true,"status":{"state":"completed"}}}

                """);

        assertThat(run("say", "Lead", "hello", "there", "--context", "c-1")).isZero();

        assertThat(screen.out()).isEqualTo("first line\nsecond half\n");
        assertThat(screen.err()).isEqualTo("Go on with --context c-1\n");
        assertThat(asked.getFirst()).contains("\"method\":\"message/stream\"", "hello there", "\"contextId\":\"c-1\"");
    }

    @Test
    void who_waits_for_a_person_is_told_once_while_nothing_is_said() {
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"status-update","taskId":"t-1","status":{"state":"working"}}}

                :

                :

                data: {"result":{"kind":"status-update","taskId":"t-1","final":true,"status":{"state":"completed"}}}

                """);

        assertThat(run("say", "Lead", "go")).isZero();

        assertThat(screen.err())
                .isEqualTo(
                        "Writer waits for a decision: send 34 letters; ./molecule inbox shows all of it, and how to decide.\n"
                                + "Lead waits for a decision: book a room; ./molecule inbox shows all of it, and how to decide.\n");
    }

    @Test
    void who_rests_because_its_money_is_used_up_is_told_too() {
        answers.put("GET /approvals/pending", "[]");
        answers.put("GET /inbox?limit=200", """
                {"rows":[{"id":"9","kind":"budget","workspace_name":"Lead","text":"$0.50 of $0.50 of this month","details":{"percent":100}},
                  {"id":"8","kind":"budget","workspace_name":"Writer","text":"$0.40 of $0.50 of this month","details":{"percent":80}}]}""");
        answers.put("POST /workspaces/i-1/a2a", "data: {\"result\":{\"parts\":[{\"text\":\"done\"}]}}\n\n:\n\n:\n\n");

        assertThat(run("say", "Lead", "go")).isZero();

        assertThat(screen.err())
                .isEqualTo("Lead rests, because its money is used up: $0.50 of $0.50 of this month;"
                        + " allow it more on the page, and it goes on.\n");
    }

    @Test
    void a_failure_a_question_and_a_queue_are_told() {
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"input-required","message":{"parts":[{"text":"which day?"}]}}}}

                """);
        assertThat(run("say", "Lead", "go")).isZero();
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"status-update","taskId":"t","status":{"state":"failed","message":{"parts":[{"text":"no key"}]}}}}

                """);
        assertThat(run("say", "Lead", "go")).isEqualTo(1);
        answers.put("POST /workspaces/i-1/a2a", "{\"queued\":true,\"queue_id\":\"q\"}");
        assertThat(run("say", "Lead", "go")).isZero();
        status = 503;
        answers.put("POST /workspaces/i-1/a2a", "{\"error\":\"agent unreachable\"}");
        assertThat(run("say", "Lead", "go")).isEqualTo(1);

        assertThat(screen.out()).isEqualTo("which day?\n");
        assertThat(screen.err())
                .contains(
                        "Lead waits for your answer: ./molecule say Lead --context c YOUR ANSWER",
                        "Lead failed: no key",
                        "Lead is busy",
                        "Lead did not answer: agent unreachable (503).");
    }

    @Test
    void the_reply_of_an_agent_that_fetches_its_messages_is_waited_for_and_printed() {
        answers.put("POST /workspaces/i-1/a2a", "{\"result\":{\"status\":\"queued\",\"delivery_mode\":\"poll\"}}");
        activity = sent -> """
                [{"id":"r9","method":"notify","response_body":{"result":"of an earlier one"}},
                 {"id":"r8","method":"message/stream","request_body":{"params":{"message":{"messageId":"%s"}}}}]""".formatted(sent);
        answers.put(
                "GET /workspaces/i-1/activity?limit=100&since_id=r8&wait=8",
                "[{\"id\":\"r10\",\"method\":\"message/send\"},{\"id\":\"r11\",\"method\":\"notify\",\"response_body\":{\"result\":\"UP: go\"}}]");

        assertThat(run("say", "Lead", "go")).isZero();

        assertThat(screen.out()).isEqualTo("UP: go\n");
        assertThat(screen.err()).contains("Lead fetches its messages").doesNotContain("busy");
    }

    @Test
    void ids_of_agents_are_one_word_for_the_shell_that_they_are_pasted_into() {
        answers.put(
                "POST /workspaces/i-1/a2a",
                "data: {\"result\":{\"kind\":\"status-update\",\"taskId\":\"t\",\"contextId\":\"c;touch x #\",\"status\":{\"state\":\"input-required\"}}}\n\n");
        answers.put(
                "GET /inbox?limit=200",
                "{\"rows\":[{\"id\":\"1\",\"kind\":\"question\",\"part\":\"decide\",\"workspace_name\":\"Lead\",\"text\":\"?\",\"details\":{\"task_id\":\"t1;touch '/x' #\"}}]}");

        assertThat(run("say", "Lead", "go")).isZero();
        assertThat(run("inbox")).isZero();

        assertThat(screen.err()).contains("--context 'c;touch x #' YOUR ANSWER");
        assertThat(screen.out()).contains("--task 't1;touch '\\''/x'\\'' #' YOUR ANSWER");
    }

    @Test
    void an_agent_whose_name_begins_like_an_option_is_named_by_its_id_in_what_is_to_be_pasted() {
        answers.put("GET /inbox?limit=200", """
                {"rows":[{"id":"1","kind":"question","part":"decide","workspace_id":"i-1","workspace_name":"--url=http://e","text":"?","details":{"context_id":"c"}},
                         {"id":"2","kind":"degraded","part":"fix","workspace_id":"i-1","workspace_name":"--url=http://e","text":"?"}]}""");

        assertThat(run("inbox")).isZero();

        assertThat(screen.out()).contains("molecule say i-1 --context c YOUR ANSWER", "molecule logs i-1");
    }

    @Test
    void the_context_to_go_on_with_is_one_word_for_the_shell() {
        answers.put(
                "POST /workspaces/i-1/a2a",
                "data: {\"result\":{\"kind\":\"message\",\"contextId\":\"c;touch x #\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}\n\n");

        assertThat(run("say", "Lead", "go")).isZero();

        assertThat(screen.err()).isEqualTo("Go on with --context 'c;touch x #'\n");
    }

    @Test
    void events_are_followed_over_a_cut_without_hole_or_repeat() throws InterruptedException {
        answers.put(
                "GET /events?limit=1",
                "[{\"seq\":7,\"event_type\":\"WORKSPACE_ONLINE\",\"workspace_id\":\"i-1\",\"created_at\":\"2026-01-02T03:04:05Z\",\"payload\":{}}]");
        var following = new Thread(() -> run("events", "-f", "--lines", "1"));
        following.start();
        await().until(() -> sockets.size() == 1);
        sockets.getFirst()
                .writeTextMessage(
                        "{\"event\":\"WORKSPACE_OFFLINE\",\"workspace_id\":\"i-1\",\"timestamp\":\"2026-01-02T03:04:06Z\",\"payload\":{\"error\":\"gone\\u001b[2J\"},\"seq\":8}")
                .await();
        await().until(() -> screen.out().contains("WORKSPACE_OFFLINE"));
        sockets.getFirst().close().await();
        await().until(() -> sockets.size() == 2);
        following.interrupt();
        sockets.getLast().close().await();
        following.join(Waits.PATIENCE.toMillis());

        assertThat(asked).contains("WS /ws?since=7", "WS /ws?since=8");
        assertThat(screen.out())
                .contains("03:04:05  WORKSPACE_ONLINE", "03:04:06  WORKSPACE_OFFLINE", "Lead", "gone\ufffd[2J");
        assertThat(following.isAlive()).isFalse();
    }

    /** As {@code events -f | head} does. */
    @Test
    void nothing_is_followed_any_more_when_nobody_reads_it() throws Exception {
        answers.put("GET /events?limit=1", "[]");
        var reader = new PipedInputStream();
        var deaf = new Console(
                new PrintStream(new PipedOutputStream(reader), true, StandardCharsets.UTF_8),
                new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
        var following = new Thread(() -> new CommandLine(new EventsCommand(deaf, MoleculeHome.fromSystemProperties()))
                .execute("-f", "--lines", "0", "--url", "http://127.0.0.1:" + platform.actualPort()));
        following.start();
        await().until(() -> sockets.size() == 1);

        reader.close();
        sockets.getFirst()
                .writeTextMessage("{\"event\":\"WORKSPACE_ONLINE\",\"workspace_id\":\"i-1\",\"payload\":{},\"seq\":8}")
                .await();

        following.join(Waits.PATIENCE.toMillis());
        assertThat(following.isAlive()).isFalse();
    }
}
