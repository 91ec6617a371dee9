package ai.molecule.registry.passports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.registry.passports.Passport.Party;
import ai.molecule.registry.passports.Passport.Wish;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A passport only ever narrows, goes in no circle and not too deep, and reads as a sentence. */
class HandingPassportsOnTest {

    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final Instant SIX = Instant.parse("2026-11-26T18:00:00Z");
    private static final Party KIM = new Party("person:kim", "Kim");
    private static final Party LEAD = new Party(UUID.randomUUID().toString(), "Lead");
    private static final Party WRITER = new Party(UUID.randomUUID().toString(), "Writer");
    private static final Party EDITOR = new Party(UUID.randomUUID().toString(), "Editor");
    private static final Wish SAME = new Wish(null, null, null, null, null, false);

    private final Passport first = Passport.first(
            UUID.randomUUID(),
            KIM,
            LEAD,
            new Wish("w1", null, new BigDecimal("0.4"), SIX, List.of("write", "read"), false),
            NOW);

    @Test
    void it_reads_as_a_sentence() {
        assertThat(on(first, WRITER, SAME).says())
                .isEqualTo(
                        "Kim asked Lead, Lead asked Writer: may use read and write, $0.40 left, until 2026-11-26 18:00 UTC");
        assertThat(Passport.first(UUID.randomUUID(), KIM, LEAD, SAME, NOW).says())
                .isEqualTo("Kim asked Lead: may use every tool it has");
        assertThat(on(first, WRITER, new Wish(null, null, new BigDecimal("0.000001"), null, List.of(), false))
                        .says())
                .contains("may use no tool", "$0.000001 left");
    }

    @Test
    void it_narrows_at_each_field_and_keeps_what_nobody_narrows() {
        var narrow = on(
                first,
                WRITER,
                new Wish(null, "d1", new BigDecimal("0.1"), NOW.plusSeconds(60), List.of("read"), false));

        assertThat(narrow.budget()).isEqualByComparingTo("0.1");
        assertThat(narrow.expiresAt()).isEqualTo(NOW.plusSeconds(60));
        assertThat(narrow.tools()).containsExactly("read");
        assertThat(narrow.delegation()).isEqualTo("d1");
        var further = on(narrow, EDITOR, SAME);
        assertThat(further.budget()).isEqualByComparingTo("0.1");
        assertThat(further.deadline()).isEqualTo(NOW.plusSeconds(60));
        assertThat(further.tools()).containsExactly("read");
        assertThat(further.work()).isEqualTo("w1");
        assertThat(further.delegation()).isNull();
        assertThat(further.principal()).isEqualTo(KIM);
        assertThat(further.actors()).containsExactly(LEAD, WRITER);
    }

    static Stream<Wish> wider() {
        return Stream.of(
                new Wish(null, null, new BigDecimal("0.400001"), null, null, false),
                new Wish(null, null, null, SIX.plusSeconds(1), null, false),
                new Wish(null, null, null, null, List.of("read", "run"), false),
                new Wish("w2", null, null, null, null, false));
    }

    @ParameterizedTest
    @MethodSource("wider")
    void what_would_be_wider_is_refused(Wish wish) {
        refused(() -> on(first, WRITER, wish), "the passport");
    }

    @Test
    void a_circle_is_refused_with_its_path_but_for_a_question_to_whoever_asked() {
        var writers = on(first, WRITER, SAME);

        refused(() -> on(writers, LEAD, SAME), "in a circle: Kim → Lead → Writer → Lead");
        refused(() -> on(writers, WRITER, SAME), "in a circle: Kim → Lead → Writer → Writer");
        var asked = new Wish(null, null, null, null, null, true);
        assertThat(on(writers, LEAD, asked).depth()).isEqualTo(3);
        refused(() -> on(on(writers, EDITOR, SAME), LEAD, asked), "in a circle");
    }

    @Test
    void too_many_hops_are_refused_with_their_path() {
        var second = first.handOn(UUID.randomUUID(), WRITER, SAME, 2, NOW);

        refused(
                () -> second.handOn(UUID.randomUUID(), EDITOR, SAME, 2, NOW),
                "more than 2 times: Kim → Lead → Writer → Editor");
    }

    @Test
    void what_is_over_is_not_handed_on() {
        refused(() -> first.handOn(UUID.randomUUID(), WRITER, SAME, 8, SIX), "ended at 2026-11-26 18:00 UTC");
    }

    @Test
    void its_claims_say_all_of_it() {
        var third = on(on(first, WRITER, new Wish(null, "d1", null, null, null, false)), EDITOR, SAME);

        assertThat(Passport.of(third.claims())).isEqualTo(third);
        assertThat(third.claims().at("/act/sub").asText()).isEqualTo(WRITER.id());
        assertThat(third.claims().at("/act/act/sub").asText()).isEqualTo(LEAD.id());
        assertThat(third.claims().at("/act/act/act").isMissingNode()).isTrue();
    }

    private static Passport on(Passport passport, Party next, Wish wish) {
        return passport.handOn(UUID.randomUUID(), next, wish, 8, NOW);
    }

    private static void refused(ThrowingCallable what, String says) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.FORBIDDEN))
                .hasMessageContaining(says);
    }
}
