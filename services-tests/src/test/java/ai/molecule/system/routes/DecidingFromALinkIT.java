package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.canvas.Browser;
import ai.molecule.common.routing.Owner;
import ai.molecule.system.routes.FourServices.Mode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** Somebody on the way gets a link to a decision: a phone, a platform in production, nobody signed in. */
@Tag("full")
class DecidingFromALinkIT {

    private static FourServices services;
    private static Browser phone;

    @BeforeAll
    static void start() {
        phone = Browser.open();
        services = FourServices.start(Mode.PRODUCTION);
    }

    @AfterAll
    static void stop() {
        if (phone != null) {
            phone.close();
        }
        if (services != null) {
            services.close();
        }
    }

    @Test
    void a_link_opens_that_decision_alone_with_signing_in_between_and_it_is_carried_out() {
        String agent = services.ask(
                        201, Request.of("POST", "/workspaces").body("{\"name\":\"Writer\",\"external\":true}"))
                .text("id");
        String approvals = "/workspaces/" + agent + "/approvals";
        String other = ask(approvals, "delete the archive");
        String asked = ask(approvals, "publish report.html");
        String page = "http://127.0.0.1:" + services.port(Owner.PROXY) + "/";

        phone.size(390, 844).go(page + "#needs=" + asked).see("asks who you are");
        phone.find("#key").sendKeys(FourServices.ADMIN_TOKEN + Keys.ENTER);

        var approve = phone.named("button", "Approve: publish report.html");
        assertThat(phone.driver().findElements(By.cssSelector("article.decide")))
                .hasSize(1);
        assertThat(approve.getSize().height).isGreaterThanOrEqualTo(48);
        assertThat(phone.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        phone.picture("phone-one-decision");
        approve.click();
        phone.see("Approving in");
        await().untilAsserted(() -> assertThat(statusOf(approvals, asked)).isEqualTo("approved"));
        assertThat(statusOf(approvals, other)).isEqualTo("pending");

        phone.go("about:blank").go(page + "#needs=" + asked).see("approved this");
        phone.named("button", "Next: Writer").click();
        phone.named("button", "Deny: delete the archive").click();
        phone.see("Denying in");
        phone.named("button", "Undo").click();
        phone.named("button", "Deny: delete the archive");
        assertThat(statusOf(approvals, other)).isEqualTo("pending");
    }

    private static String ask(String approvals, String action) {
        return services.ask(201, Request.of("POST", approvals).body("{\"action\":\"%s\"}".formatted(action)))
                .text("approval_id");
    }

    private static String statusOf(String approvals, String id) {
        for (var row : services.ask(200, Request.of("GET", approvals)).json()) {
            if (row.get("id").asText().equals(id)) {
                return row.get("status").asText();
            }
        }
        throw new AssertionError("no approval " + id);
    }
}
