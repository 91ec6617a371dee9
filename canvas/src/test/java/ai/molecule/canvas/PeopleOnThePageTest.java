package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** People with names: how they come in, where they are signed in, their tokens, each other, and programs they let in. */
class PeopleOnThePageTest extends VisitToThePage {

    private static final String KIM = "00000000-0000-4000-8000-00000000000a";
    private static final String LEE = "00000000-0000-4000-8000-00000000000b";
    private static final String SAM = "00000000-0000-4000-8000-00000000000c";
    private static final String PASSWORD = "a-password-of-hers";

    @Test
    void who_comes_by_the_first_link_becomes_somebody_and_the_link_stays_nowhere() {
        studio();
        isThere("owner");
        browser.go(platform.url() + "#link=once&first").see("owns this platform");
        Looks.at(browser, "people-first-owner", "owns this platform");
        browser.find("input[name=login]").sendKeys("kim@example.org");
        browser.find("input[name=name]").sendKeys("Kim");
        browser.find("input[name=password]").sendKeys(PASSWORD);
        browser.find("input[name=again]").sendKeys(PASSWORD + "?" + Keys.ENTER);
        browser.see("The two passwords differ.");
        browser.find("input[name=again]").sendKeys("" + Keys.BACK_SPACE + Keys.ENTER);

        browser.named("button.person", "Kim");
        browser.see("Backend");
        assertThat(browser.driver().getCurrentUrl()).isEqualTo(platform.url());
        assertThat(platform.changes)
                .containsExactly("POST /people/accept {\"link\":\"once\",\"password\":\"" + PASSWORD
                        + "\",\"login\":\"kim@example.org\",\"name\":\"Kim\"}");
    }

    @Test
    void who_was_invited_has_a_name_already() {
        studio();
        isThere("viewer");
        browser.go(platform.url() + "#link=once").see("Choose how you sign in");
        assertThat(browser.isThere("input[name=login]")).isFalse();
        browser.see("Sign in with Example Works");
        browser.find("input[name=password]").sendKeys(PASSWORD);
        browser.find("input[name=again]").sendKeys(PASSWORD + Keys.ENTER);

        browser.named("button.person", "Kim").click();
        browser.see("kim@example.org: viewer");
        assertThat(browser.isThere("input[name=login]")).isFalse();
        assertThat(platform.changes)
                .containsExactly("POST /people/accept {\"link\":\"once\",\"password\":\"" + PASSWORD + "\"}");
    }

    @Test
    void an_owner_signs_in_by_name_and_sees_where_and_who_else_and_what_programs() {
        var studio = studio();
        isThere("owner");
        platform.answers.put("/people", people(studio.get(1)));
        platform.answers.put("/people/me/tokens", tokens());
        platform.answers.put("/sessions", sessions());
        browser.go(platform.url()).find("#login").sendKeys("kim@example.org");
        browser.find("#password").sendKeys("another" + Keys.ENTER);
        browser.see("That name and password do not belong together.");
        Looks.at(browser, "people-door", "Sign in with Example Works");
        browser.find("#password").clear();
        browser.find("#password").sendKeys(PASSWORD + Keys.ENTER);
        browser.named("button.person", "Kim").click();

        browser.see("operator of Engineering Lead, has not come yet");
        browser.see("Firefox on Windows");
        browser.see("disabled");
        Looks.at(browser, "people", "nightly report");

        platform.answers.put("POST /people", JsonObject.of("link", "https://molecule.example.org/ui#link=fresh"));
        browser.find("people-section input[name=login]").sendKeys("ada");
        choose("form select[name=role]", "operator");
        choose("form select[name=branch]", studio.get(1));
        browser.named("people-section button", "Invite").click();
        browser.see("https://molecule.example.org/ui#link=fresh");
        browser.picture("people-invited");

        platform.answers.put("POST /people/me/tokens", JsonObject.of("auth_token", "shown-this-once"));
        browser.find("people-section input[name=name]").sendKeys("a script");
        browser.named("people-section button", "Create token").click();
        browser.see("shown-this-once");
        platform.answers.put("POST /people/me/chats", JsonObject.of("code", "BCDF-GHJK"));
        browser.named("people-section button", "Link Telegram").click();
        browser.see("/link BCDF-GHJK");
        browser.named("people-section button", "Revoke nightly report").click();
        browser.see("Revoked.");
        browser.named("people-section button", "Sign out there").click();
        browser.see("Signed out there.");
        choose("select[aria-label='Role of Sam']", "viewer");
        browser.see("Sam is viewer now.");
        browser.named("people-section button", "Disable Sam").click();
        browser.see("Disabled.");
        assertThat(platform.changes)
                .containsExactly(
                        "POST /people {\"login\":\"ada\",\"role\":\"operator\",\"branch\":\"" + studio.get(1) + "\"}",
                        "POST /people/me/tokens {\"name\":\"a script\",\"role\":\"viewer\",\"days\":90}",
                        "POST /people/me/chats {\"role\":\"viewer\"}",
                        "DELETE /people/me/tokens/t-1 ",
                        "DELETE /sessions/s-2 ",
                        "PATCH /people/" + SAM + " {\"role\":\"viewer\"}",
                        "PATCH /people/" + SAM + " {\"disabled\":true}");
    }

    @Test
    void a_program_is_let_in_by_who_reads_its_name_first() {
        studio();
        isThere("operator");
        platform.answers.put(
                "/device/requests/BCDF-GHJK", JsonObject.of("name", "molecule at a desk", "address", "192.0.2.7"));
        browser.go(platform.url() + "#device=BCDF-GHJK").see("A program asks to sign in. Sign in first.");
        browser.find("#login").sendKeys("kim@example.org");
        browser.find("#password").sendKeys(PASSWORD + Keys.ENTER);
        browser.see("The code it shows");
        browser.named("button", "Look").click();
        browser.see("molecule at a desk");
        Looks.at(browser, "people-program", "Say yes only if you started it yourself");
        browser.named("button", "Allow").click();

        browser.see("Backend");
        assertThat(platform.changes)
                .containsExactly("POST /device/requests/BCDF-GHJK {\"allow\":true,\"role\":\"operator\"}");
    }

    private void isThere(String role) {
        browser.driver().executeCdpCommand("Network.clearBrowserCookies", Map.of()); // they are of all ports
        platform.door.key = PASSWORD;
        platform.door.person = person(KIM, "kim@example.org", "Kim", role, null, true);
    }

    private static void choose(String css, String value) {
        browser.find("people-section " + css + " option[value='" + value + "']").click();
    }

    private static JsonObject people(String branch) {
        return JsonObject.of(
                "people",
                JsonArray.of(
                        person(KIM, "kim@example.org", "Kim", "owner", null, true),
                        person(LEE, "lee", "lee", "operator", branch, false),
                        person(SAM, "sam@example.org", "Sam", "operator", null, true),
                        person(SAM.replace('c', 'd'), "rob@example.org", "Rob", "viewer", null, true)
                                .put("disabled", true)));
    }

    private static JsonObject person(
            String id, String login, String name, String role, @Nullable String branch, boolean came) {
        var grant = JsonObject.of("role", role);
        if (branch != null) {
            grant.put("branch", branch);
        }
        return JsonObject.of(
                "id",
                id,
                "login",
                login,
                "name",
                name,
                "roles",
                JsonArray.of(grant),
                "signs_in_with",
                came ? JsonArray.of("password") : new JsonArray(),
                "disabled",
                false);
    }

    private static JsonObject tokens() {
        return JsonObject.of(
                "tokens",
                JsonArray.of(JsonObject.of(
                        "id",
                        "t-1",
                        "prefix",
                        "abcdefgh",
                        "name",
                        "nightly report",
                        "role",
                        "viewer",
                        "expires_at",
                        "2027-01-02T00:00:00Z")));
    }

    private static JsonObject sessions() {
        return JsonObject.of(
                "sessions",
                JsonArray.of(
                        session(
                                "s-1",
                                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
                                true),
                        session("s-2", "Mozilla/5.0 (Windows NT 10.0; rv:143.0) Gecko/20100101 Firefox/143.0", false)));
    }

    private static JsonObject session(String id, String agent, boolean own) {
        return JsonObject.of(
                "id", id, "address", "192.0.2.7", "agent", agent, "created_at", "2026-11-26T08:15:00Z", "this", own);
    }
}
