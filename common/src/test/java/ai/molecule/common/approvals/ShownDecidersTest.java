package ai.molecule.common.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom clients offer a decision, by what the registry shows them of who decides. */
class ShownDecidersTest {

    private static final String SHOWN = """
            {"rule":"pay","people":["kim","max"],"role":"owner","approvals":2,"escalation":{"after_minutes":5,"people":["lee"],"role":"operator"},
             "escalated_at":%s,"approved_by":["kim"],"askers":["max"],"waits":"1 of 2 approved, waits for an owner"}
            """;

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
                    kim,  OPERATOR, false, -
                    max,  OWNER,    false, 'You do not decide this: you asked for it, or may have.'
                    olga, OWNER,    false, -
                    olga, -,        false, -
                    lee,  OPERATOR, false, 'You do not decide this: approval rule pay names others.'
                    lee,  OPERATOR, true,  -
                    nina, OPERATOR, true,  -
                    nina, VIEWER,   true,  'You do not decide this: approval rule pay names others.'
                    -,    -,        false, 'You do not decide this: your credential names nobody. Sign in as a person.'
                    """)
    void a_person_is_told_why_they_do_not_decide(
            @Nullable String login, @Nullable Role there, boolean escalated, @Nullable String why) {
        var shown = ShownDeciders.of(Json.stored(SHOWN.formatted(escalated ? "\"2026-11-28T10:00:00Z\"" : "null")))
                .orElseThrow();

        assertThat(shown.whyNot(login, there).orElse(null)).isEqualTo(why);
        assertThat(shown.isApprovedBy(login)).isEqualTo("kim".equals(login));
    }

    @Test
    void without_a_rule_nothing_is_known() {
        assertThat(ShownDeciders.of(Json.stored(null))).isEmpty();
        assertThat(ShownDeciders.of(Json.object().path("deciders"))).isEmpty();
    }
}
