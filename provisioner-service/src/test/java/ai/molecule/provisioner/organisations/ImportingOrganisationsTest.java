package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.CreateWorkspaces.Memory;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an organisation's file becomes: workspaces, and the files their agents start with. */
class ImportingOrganisationsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ServedOrganisations served;

    @BeforeAll
    static void start() {
        served = new ServedOrganisations(folder);
    }

    @AfterEach
    void forget() throws IOException {
        served.registry.forgetAll();
        for (String written : new String[] {"org-templates", "templates", "plugins"}) {
            if (Files.exists(folder.resolve(written))) {
                Files.move(
                        folder.resolve(written),
                        Files.createTempDirectory(folder, "old").resolve(written));
            }
        }
    }

    @AfterAll
    static void stop() {
        served.close();
    }

    @Test
    void asked_for_again_with_its_key_nothing_is_created_and_the_answer_is_the_first_one() {
        String shop =
                "{\"start\":false,\"template\":{\"name\":\"Shop\",\"workspaces\":[{\"name\":\"Lead\",\"runtime\":\"echo\"}]}}";

        var first = served.importOnce("shop-1", shop);
        var again = served.importOnce("shop-1", shop);

        assertThat(first.status()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(served.registry.imports.created()).hasSize(1);
        assertThat(served.importOnce("shop-1", shop.replace("Lead", "Boss")).status())
                .isEqualTo(422);
        assertThat(served.importOnce("shop 1", shop).error()).contains("visible ASCII");
        assertThat(served.importOnce("shop-2", shop.replace("echo", "echo\",\"tier\":\"nine"))
                        .status())
                .isEqualTo(400);
        assertThat(served.importOnce("shop-2", shop).status()).isEqualTo(201); // a refusal keeps no key
        assertThat(served.registry.imports.created()).hasSize(2);
    }

    @Test
    void it_is_of_the_tenant_that_the_request_names() {
        String shop = "name: Shop\ndefaults: {runtime: echo}\nworkspaces: [{name: Lead}]\n";

        assertThat(served.importFor("acme", shop).status()).isEqualTo(201);
        assertThat(served.importFor("a b", shop).status()).isEqualTo(400);
        assertThat(served.importYaml(shop).status()).isEqualTo(201);

        var requests = served.registry.imports.requests();
        assertThat(requests.get(requests.size() - 2).tenant()).isEqualTo("acme");
        assertThat(requests.getLast().tenant()).isNull();
    }

    @Test
    void workspaces_are_created_parents_first_with_what_the_defaults_say_unless_they_say_otherwise() {
        var answer = served.importYaml("""
                name: Shop
                defaults: {runtime: echo, tier: 3, model: "openai:gpt", initial_memories: [{content: for all of us}]}
                global_memories: [{content: open at nine}]
                workspaces:
                  - name: R&D lead
                    role: |
                      leads
                      the team
                    canvas: {x: 100, y: 50}
                    children:
                      - {name: Writer, tier: 1, initial_memories: [], max_concurrent_tasks: 4}
                      - name: Elsewhere
                        external: true
                        url: https://agent.example.com
                  - {name: Other, runtime: claude-code, model: }
                """);

        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.body().path("org").asText()).isEqualTo("Shop");
        assertThat(answer.body().path("count").asInt()).isEqualTo(4);
        assertThat(answer.body().path("workspaces"))
                .extracting(each -> each.path("name").asText())
                .containsExactly("R&D lead", "Writer", "Elsewhere", "Other");
        var created = served.registry.imports.created();
        assertThat(created).extracting(Item::role).containsExactly("leads the team", null, null, null);
        assertThat(created).extracting(item -> item.agent().tier()).containsExactly(3, 1, 3, 3);
        assertThat(created)
                .extracting(item -> item.agent().runtime())
                .startsWith("echo", "echo")
                .endsWith("claude-code");
        assertThat(created).extracting(item -> item.agent().model()).endsWith("openai:gpt");
        assertThat(created).extracting(Item::parentId).containsExactly(null, id(0), id(0), null);
        assertThat(created.getFirst().memories())
                .containsExactly(new Memory("for all of us", null), new Memory("open at nine", "GLOBAL"));
        assertThat(created.get(1).memories()).isEmpty();
        assertThat(created.get(2).agent().url()).isEqualTo("https://agent.example.com");
        assertThat(created).noneMatch(Item::start);
        assertThat(served.registry.wishes()).isEmpty();
    }

    @Test
    void those_below_one_are_laid_out_in_two_columns_inside_it() {
        served.importYaml("""
                workspaces:
                  - name: A
                    canvas: {x: 1000, y: 0}
                    children:
                      - {name: B, children: [{name: C}, {name: D}]}
                      - name: E
                      - name: F
                """);

        var places = served.registry.imports.created();
        // B is 16+240+14+240+16 = 526 wide and 130+130+16 = 276 high
        assertThat(places)
                .extracting(item -> item.name() + " " + item.x() + " " + item.y())
                .containsExactly(
                        "A 1000.0 0.0",
                        "B 1016.0 130.0",
                        "C 1032.0 260.0",
                        "D 1286.0 260.0",
                        "E 1556.0 130.0",
                        "F 1016.0 420.0");
    }

    @Test
    void a_zero_says_nothing_and_a_channel_is_skipped() {
        var answer = served.importYaml("""
                defaults: {tier: 4, idle_interval_seconds: 30, idle_prompt: Look around.}
                workspaces:
                  - {name: A, tier: 0, idle_interval_seconds: 0, channels: [{}]}
                """);

        assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
        var first = answer.body().path("workspaces").path(0);
        assertThat(first.path("tier").asInt()).isEqualTo(4);
        assertThat(served.config(0, "config.yaml")).contains("tier: 4\n", "idle_interval_seconds: 30\n");
        assertThat(first.path("channels_skipped")).hasSize(1);
    }

    @Test
    void schedules_are_set_with_the_texts_of_their_files_and_channels_reported_as_skipped() {
        String yaml = """
                workspaces:
                  - name: Lead
                    schedules:
                      - {name: daily, cron_expr: "0 9 * * mon-fri", timezone: Europe/Berlin, prompt: report, missed: all}
                      - {name: often, every_seconds: 600, prompt_file: look.md, enabled: false}
                    channels: [{type: telegram, config: {token: "${T}"}}, {type: slack}, {type: pigeon}]
                """;

        var answer = served.importFiles(Json.object().put("org.yaml", yaml).put("look.md", "Look around."));

        assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
        var first = answer.body().path("workspaces").path(0);
        assertThat(first.path("schedules").asInt()).isEqualTo(2);
        var skipped = first.path("channels_skipped");
        assertThat(skipped.path(0).path("type").asText()).isEqualTo("telegram");
        assertThat(skipped.findValuesAsText("reason"))
                .satisfiesExactly(
                        telegram -> assertThat(telegram).contains("molecule target bot --set"),
                        slack -> assertThat(slack).endsWith("molecule target add NAME slack"),
                        other -> assertThat(other).startsWith("there is no channel of that type"));
        var set = served.registry.schedules().getFirst();
        assertThat(set.workspaceId()).isEqualTo(id(0));
        assertThat(set.schedules().getFirst())
                .contains("\"cron_expr\":\"0 9 * * mon-fri\"", "\"timezone\":\"Europe/Berlin\"", "\"missed\":\"all\"");
        assertThat(set.schedules().getLast())
                .contains("\"cron_expr\":\"@every 600s\"", "\"prompt\":\"Look around.\"", "\"enabled\":false");
    }

    @Test
    void idle_times_are_set_as_they_are_written_and_of_the_defaults_at_the_top() {
        var answer = served.importYaml("""
                defaults: {hibernation_idle_minutes: 30}
                workspaces:
                  - name: Lead
                    children: [{name: Awake, hibernation_idle_minutes: 0}, {name: Below}]
                  - {name: Second, hibernation_idle_minutes: 5}
                """);

        assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
        assertThat(served.registry.imports.idle())
                .containsExactlyInAnyOrderEntriesOf(Map.of(id(0), 30, id(1), 0, id(3), 5));
        assertThat(served.importYaml("workspaces: [{name: A, hibernation_idle_minutes: -1}]")
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{name: never, cron_expr: '0 0 30 2 *', prompt: p}|invalid cron expression \"0 0 30 2 *\": there is no such day",
                "{name: never, cron_expr: '@daily', timezone: Nowhere/Land, prompt: p}|invalid timezone: Nowhere/Land",
                "{name: never, cron_expr: '@daily'}|cron_expr and prompt are required",
                "{name: never, cron_expr: '@daily', prompt_file: none.md}|there is no file none.md"
            })
    void one_that_is_impossible_is_refused_with_the_reason_and_nothing_is_created(String schedule, String why) {
        var answer =
                served.importYaml("workspaces: [{name: Lead, schedules: [%s]}]".formatted(schedule.replace("'", "\"")));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("workspace \"Lead\": schedule \"never\": " + why);
        assertThat(served.registry.imports.created()).isEmpty();
    }

    @Test
    void missing_variables_stop_an_import_until_they_are_set_or_it_is_forced() {
        String organisation = """
                name: Needy
                required_env: [B_KEY, {any_of: [B_KEY, C_KEY]}, not a name]
                recommended_env: [B_KEY, D_KEY]
                workspaces: [{name: Lead, required_env: [{any_of: [X_KEY, Y_KEY]}, A_KEY]}]
                """;
        served.registry.globalSecrets("Y_KEY");

        var refused = served.importYaml(organisation);

        assertThat(refused.status()).isEqualTo(412);
        assertThat(refused.error()).isEqualTo("missing required environment variables");
        assertThat(Json.text(refused.body().path("missing_env"))).isEqualTo("[\"A_KEY\",\"B_KEY\"]");
        assertThat(Json.text(refused.body().path("required_env")))
                .isEqualTo("[\"A_KEY\",\"B_KEY\",{\"any_of\":[\"X_KEY\",\"Y_KEY\"]}]");
        assertThat(refused.body().path("template").asText()).isEqualTo("Needy");
        assertThat(served.registry.imports.created()).isEmpty();
        assertThat(served.importYaml(organisation, "\"force\":true").status()).isEqualTo(201);
        served.registry.globalSecrets("A_KEY", "B_KEY", "X_KEY");
        assertThat(served.importYaml(organisation).status()).isEqualTo(201);
    }

    @Test
    void what_is_to_start_is_started_once_its_files_are_there() {
        var answer = served.post("/org/import", """
                {"template":{"workspaces":[{"name":"Lead","runtime":"echo","children":[{"name":"Below","runtime":"echo"}]},
                 {"name":"Out","external":true,"children":[{"name":"Under","runtime":"echo"}]}]}}""");

        assertThat(answer.status()).isEqualTo(201);
        assertThat(served.registry.wishes()).containsExactlyInAnyOrder(resume(id(0)), resume(id(3)));
        assertThat(served.config(1, "config.yaml")).contains("name: \"Below\"");
    }

    @Test
    void those_that_lie_ready_are_listed_without_the_broken_ones() {
        served.write("org-templates/a/org.yml", """
                        name: Alpha
                        description: first
                        required_env: [KEY]
                        workspaces: [{name: Lead, children: [{name: Below}]}]
                        """)
                .write("org-templates/b/org.yaml", "workspaces: nobody")
                .write("org-templates/c/readme.md", "nothing here");

        assertThat(Json.text(served.get("/org/templates").body()))
                .isEqualTo("[{\"dir\":\"a\",\"name\":\"Alpha\",\"description\":\"first\",\"workspaces\":2,"
                        + "\"required_env\":[\"KEY\"],\"recommended_env\":[]}]");
    }

    private UUID id(int n) {
        return served.registry.imports.created().get(n).id();
    }

    private static SetDesired resume(UUID id) {
        return new SetDesired(id, SetDesired.Action.RESUME, null, null);
    }
}
