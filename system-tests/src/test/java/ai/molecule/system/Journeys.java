package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.canvas.Browser;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What people come to the page for, from its beginning to its end, on the platform that {@code ./molecule up} starts; each with one {@link
 * Hand}. All of them by both take two minutes: {@code .ci/long}. The first, by keyboard, is gone every time.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class Journeys {

    /** Only where all of them are asked for. */
    @EnabledIfSystemProperty(
            named = "molecule.journeys",
            matches = "all",
            disabledReason = "all journeys take two minutes: -Dmolecule.journeys=all, or .ci/long")
    @Retention(RetentionPolicy.RUNTIME)
    @interface OfAll {}

    private static final Pattern PLACE = Pattern.compile("--workspace-id (\\S+)");

    @RegisterExtension
    final AfterTestExecutionCallback lost = this::showWhereItIsLost;

    private final Function<Browser, Hand> handOf;

    private Browser browser;
    private Platform platform;
    private Hand hand;

    @SuppressWarnings("NullAway.Init") // what @BeforeAll sets
    Journeys(Function<Browser, Hand> handOf) {
        this.handOf = handOf;
    }

    @BeforeAll
    void visit(@TempDir Path data) {
        browser = Browser.open();
        hand = handOf.apply(browser);
        platform = Platform.up(data, "--demo", "small");
        var demo = List.of("Team Lead", "Researcher", "Writer");
        await().until(() -> names().containsAll(demo)); // it is brought in behind the ready line
        for (String name : demo) {
            platform.awaitStatus(idOf(name), "online");
        }
    }

    @AfterAll
    void leave() {
        if (browser != null) {
            browser.close();
        }
        if (platform != null) {
            platform.close();
        }
    }

    @Test
    @Order(1)
    void from_the_first_visit_to_a_finished_piece_of_work() {
        come("");
        browser.see("These 3 agents work for you.");

        hand.press("ask-composer button", "Ask");
        browser.see("Writer: Echo: say hello");
        hand.turn("Runs", "w");
        hand.press("button.piece", "ask Researcher");

        browser.find(".piece-of-work");
        browser.named(".task", "Researcher");
        browser.named(".task", "Writer");
        assertThat(platform.get("/work").get(0).get("state").asText()).isEqualTo("done");
    }

    @Test
    @Order(2)
    @OfAll
    void an_approval_is_given_from_a_link_on_a_phone() {
        String approvals = "/workspaces/" + idOf("Writer") + "/approvals";
        String asked = platform.post(201, approvals, "{\"action\":\"publish report.html\",\"reason\":\"it is done\"}")
                .get("approval_id")
                .asText();
        browser.size(390, 844);
        come("#needs=" + asked);

        hand.press("button", "Approve: publish report.html");

        browser.see("Approving");
        await().until(() ->
                platform.get(approvals).get(0).get("status").asText().equals("approved"));
    }

    @Test
    @Order(3)
    @OfAll
    void why_an_agent_failed_is_found_out_and_mended() {
        String odd = platform.post(
                        201,
                        "/workspaces",
                        "{\"name\":\"Odd\",\"runtime\":\"langgraph\",\"model\":\"openai:gpt-5-mini\",\"parent_id\":\""
                                + idOf("Team Lead") + "\"}")
                .get("id")
                .asText();
        platform.awaitStatus(odd, "failed");
        come("");
        browser.see("Odd");

        hand.open("Odd", "Settings");
        browser.see("It cannot start.");
        browser.see("OPENAI_API_KEY");
        hand.write("input[name=key]", "OPENAI_API_KEY");
        hand.write("input[name=value]", "sk-of-a-test");
        browser.see("Saved and encrypted.");
        hand.press("agent-panel button", "Restart");

        platform.awaitStatus(odd, "online");
        browser.seeNot("It cannot start.");
    }

    @Test
    @Order(4)
    @OfAll
    void an_organisation_is_imported_from_a_file(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("org.yaml"), """
                name: Shop
                workspaces:
                  - name: Shopkeeper
                    role: Decides what is sold
                    runtime: echo
                    children:
                      - name: Buyer
                        role: Finds it
                        runtime: echo
                """);
        come("");

        hand.press("header button", "New…");
        hand.press("dialog button", "Import team");
        browser.see("Or your own file");
        hand.give(browser, "dialog input[type=file]", file);
        browser.see("Decides what is sold");
        assertThat(names()).doesNotContain("Shopkeeper");
        hand.press("dialog button", "Import");

        browser.see("2 agents are starting");
        await().until(() -> names().contains("Buyer"));
        platform.awaitStatus(idOf("Shopkeeper"), "online");
        platform.awaitStatus(idOf("Buyer"), "online");
    }

    @Test
    @Order(5)
    @OfAll
    void a_team_is_moved() {
        String gardener = platform.create("Gardener", "echo", null);
        String digger = platform.create("Digger", "echo", gardener);
        String lead = idOf("Team Lead");
        come("");
        browser.see("Digger");

        hand.carry("Gardener", "Team Lead");
        browser.see("The 1 agent below it goes along.");
        browser.see("Could then talk to");
        browser.find("dialog button.primary:not(:disabled)");
        hand.press("dialog button", "Move");

        browser.see("Gardener moved to Team Lead.");
        await().until(() -> lead.equals(parentOf(gardener)));
        assertThat(parentOf(digger)).isEqualTo(gardener);
    }

    @Test
    @Order(6)
    @OfAll
    void an_agent_that_somebody_has_is_connected_and_answers(@TempDir Path folder) throws Exception {
        Path answer = Files.writeString(folder.resolve("answer.sh"), "#!/bin/sh\necho \"mine heard $(cat)\"\n");
        Files.setPosixFilePermissions(answer, PosixFilePermissions.fromString("rwx------"));
        come("");

        hand.press("header button", "New…");
        browser.see("Create invite");
        hand.choose("dialog select", "A program of mine");
        hand.write("dialog input[name=name]", "My Program");
        String line = browser.find("pre.paste").getText();
        var place = PLACE.matcher(line);
        assertThat(place.find()).as(line).isTrue();
        var program = Launcher.start(
                Map.of(),
                folder.resolve("out"),
                folder.resolve("err"),
                "connect",
                "--platform-url",
                platform.url,
                "--workspace-id",
                place.group(1),
                "--handler",
                "cmd: " + answer);
        try {
            browser.see("Connected");
            hand.press("dialog button", "Done");
            hand.open("My Program", "Chat");
            hand.write("agent-panel textarea", "are you there?");

            browser.see("mine heard are you there?");
        } finally {
            program.destroy();
            program.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    @Order(7)
    @OfAll
    void back_to_how_it_was_and_to_now() {
        long before = System.currentTimeMillis();
        await().until(() -> System.currentTimeMillis() > before + 2_000); // the line has steps of a second
        String newcomer = platform.create("Newcomer", "echo", null);
        come("");
        browser.see("Newcomer");

        hand.goBack(before, "Nothing can be done there");
        await().until(() -> onTheMap().contains("Writer") && !onTheMap().contains("Newcomer"));
        hand.press("button", "Live");

        browser.seeNot("Nothing can be done there");
        await().until(() -> onTheMap().contains("Newcomer"));
        platform.delete("/workspaces/" + newcomer + "?confirm=true");
    }

    /** A picture beside those of the screens. */
    private void showWhereItIsLost(ExtensionContext journey) {
        if (journey.getExecutionException().isPresent()) {
            browser.picture("lost-" + getClass().getSimpleName() + "-"
                    + journey.getRequiredTestMethod().getName());
        }
    }

    private List<String> onTheMap() {
        return StreamSupport.stream(
                        browser.json(
                                        "return [...document.querySelectorAll('button.card .name')].map((name) => name.textContent)")
                                .spliterator(),
                        false)
                .map(name -> name.asText())
                .toList();
    }

    @Test
    @Order(8)
    @OfAll
    void something_that_runs_is_stopped() {
        try (var words = new WordAgent(true)) {
            platform.post(
                    201, "/workspaces", "{\"name\":\"Talker\",\"external\":true,\"url\":\"" + words.url() + "\"}");
            come("");
            browser.see("Talker");
            hand.open("Talker", "Chat");
            hand.write("agent-panel textarea", "go on for ever");
            browser.see("Working");
            await().until(() -> words.said() > 2);

            hand.press("agent-panel button", "Stop");

            browser.see("Stopped.");
            await().until(() -> words.cancelled.get() > 0);
        }
    }

    @Test
    @Order(9)
    void nothing_was_refused_and_nobody_else_was_asked() {
        browser.assertCalm();
    }

    private void come(String to) {
        browser.go("about:blank");
        if (!to.startsWith("#needs")) {
            browser.size(1440, 900);
        }
        browser.go(platform.url + "/" + to);
    }

    private String parentOf(String id) {
        return platform.get("/workspaces/" + id).get("parent_id").asText();
    }

    private List<String> names() {
        return StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                .map(row -> row.get("name").asText())
                .toList();
    }

    private String idOf(String name) {
        return StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                .filter(row -> row.get("name").asText().equals(name))
                .map(row -> row.get("id").asText())
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody is called " + name));
    }
}
