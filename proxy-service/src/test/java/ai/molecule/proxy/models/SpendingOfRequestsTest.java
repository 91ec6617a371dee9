package ai.molecule.proxy.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.common.models.Provider;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * Whatever a request says, a provider that spends as much as it allows spends no more than the limit, and what nobody waits for is booked.
 */
class SpendingOfRequestsTest {

    private static final long CENT = 10_000;
    private static final int TRIES = 10_000;

    /** What no budget can bear. */
    private static final long EVIL = 100 * 100 * CENT;

    /** A ten-thousandth of a dollar. */
    private static final long ROUNDING = 100;

    /** Calls at the same time. */
    private static final int TOGETHER = 3;

    /**
     * A member of a request.
     *
     * @param read tokens that its provider counts for it
     * @param costs what it costs besides tokens
     * @param thinks whether the model thinks because of it; null where it says nothing
     */
    private record Member(
            String text, long read, long costs, @Nullable Boolean thinks) {

        static Member of(String text) {
            return new Member(text, text.length() / 4, 0, null);
        }

        static Member evil(String text) {
            return new Member(text, 0, EVIL, null);
        }

        static Member thinking(String text, boolean on) {
            return new Member(text, 0, 0, on);
        }
    }

    private static final String RUN = "iVBORw0KGgo".repeat(4_000);

    private static final List<String> NUMBERS = List.of(
            "1", "50", "8000", "8e3", "8000.5", "100000", "-1", "0", "null", "\"9000\"", "[1]", "1e300", "1024");

    private static final List<String> COUNTS =
            List.of("1", "2", "8", "100", "3e1", "null", "0", "-4", "\"50\"", "100000");

    @Property(tries = TRIES)
    void chat_completions(
            @ForAll("chat") List<Member> members,
            @ForAll boolean streams,
            @ForAll boolean reasoning,
            @ForAll boolean completion,
            @ForAll @IntRange(min = 1, max = 300) int cents) {
        holds(ModelOperation.CHAT, members, streams, reasoning, completion, cents);
    }

    @Property(tries = TRIES)
    void responses(
            @ForAll("responses") List<Member> members,
            @ForAll boolean streams,
            @ForAll boolean reasoning,
            @ForAll @IntRange(min = 1, max = 300) int cents) {
        holds(ModelOperation.RESPONSES, members, streams, reasoning, false, cents);
    }

    @Property(tries = TRIES)
    void messages(
            @ForAll("messages") List<Member> members,
            @ForAll boolean streams,
            @ForAll boolean reasoning,
            @ForAll @IntRange(min = 1, max = 300) int cents) {
        holds(ModelOperation.MESSAGES, members, streams, reasoning, false, cents);
    }

    @Property(tries = TRIES)
    void gemini(
            @ForAll("gemini") List<Member> members,
            @ForAll boolean streams,
            @ForAll boolean reasoning,
            @ForAll @IntRange(min = 1, max = 300) int cents) {
        var operation = streams ? ModelOperation.STREAM_GENERATE : ModelOperation.GENERATE;
        holds(operation, members, streams, reasoning, false, cents);
    }

    @Example
    void embeddings_of_tokens_count_each() {
        String body = "{\"model\":\"m\",\"input\":[%s]}".formatted(String.join(",", Collections.nCopies(1_000, "7")));

        var request = ModelRequest.read(ModelOperation.EMBEDDINGS, body.getBytes(UTF_8), null, false);

        assertThat(request.estimatedInput()).isBetween(1_000L, 1_010L);
    }

    /** What leaves at the same time, and what it has come to. */
    private record Left(Reservation reservation, long granted, byte[] sent) {}

    private static void holds(
            ModelOperation operation,
            List<Member> members,
            boolean streams,
            boolean reasoning,
            boolean completion,
            int cents) {
        boolean google = operation == ModelOperation.GENERATE || operation == ModelOperation.STREAM_GENERATE;
        String own = google ? "" : "\"model\":\"m\",\"stream\":" + streams;
        byte[] body = Stream.concat(
                        own.isEmpty() ? Stream.empty() : Stream.of(own),
                        members.stream().map(Member::text))
                .collect(Collectors.joining(",", "{", "}"))
                .getBytes(UTF_8);
        var provider = provider(completion);
        var price = price(reasoning);
        var request = ModelRequest.read(operation, body, google ? "m" : null, streams);
        long limit = cents * CENT;
        long reserved = 0;
        List<Left> calls = new ArrayList<>();
        for (int call = 0; call < TOGETHER; call++) {
            Reservation reservation;
            try {
                var demand = ModelDemand.of(request, request.estimatedInput(), price, ModelLimits.DEFAULT, true);
                reservation = Reservation.of(demand, price);
            } catch (ApiError refused) {
                assertThat(refused.kind()).isEqualTo(ApiError.Kind.INVALID);
                assertThat(refused.publicMessage()).contains("a budget or limit applies");
                return;
            }
            long granted = Math.min(reservation.wanted(), limit - reserved);
            if (granted < reservation.least()) {
                break;
            }
            reserved += granted;
            calls.add(new Left(reservation, granted, request.sentTo(provider, "m", reservation.outputMax(granted))));
        }
        long left = limit - reserved;
        long spent = 0;
        long booked = 0;
        long read = members.stream().mapToLong(Member::read).sum();
        boolean thinks = members.stream().anyMatch(member -> Boolean.TRUE.equals(member.thinks))
                || (reasoning && members.stream().allMatch(member -> member.thinks == null));
        for (var call : calls) {
            long allowed = LavishProvider.writes(operation, provider.outputLimit(), call.sent);
            long paid = call.reservation.tokens(call.granted);
            if (streams && !thinks) { // is seen, and stopped when there is no money for another slice
                long more = Math.min(Math.max(0, allowed - paid), Reservation.tokensFor(price, left));
                left -= price.micros(ModelUsage.of(0, more));
                allowed = Math.min(allowed, paid + more);
                paid += more;
            }
            long real = price.microsAtMost(read, allowed)
                    + members.stream().mapToLong(Member::costs).sum();
            spent += real;
            booked += streams ? real : price.micros(ModelUsage.of(request.estimatedInput(), paid));
            if (!streams) {
                assertThat(allowed)
                        .as("nobody waited, and what was paid for is booked: %s", shortened(call.sent))
                        .isLessThanOrEqualTo(paid);
            }
        }
        assertThat(spent).as("%d cents: %s", cents, shortened(body)).isLessThanOrEqualTo(limit + ROUNDING);
        assertThat(booked).isLessThanOrEqualTo(limit);
    }

    private static String shortened(byte[] body) {
        return new String(body, UTF_8).replace(RUN, "(a run)").replace("a".repeat(44_000), "(a run of a)");
    }

    @Provide
    Arbitrary<List<Member>> chat() {
        List<Member> members = new ArrayList<>();
        for (String name : List.of(
                "max_tokens",
                "max_completion_tokens",
                "max_output_tokens",
                "Max_Tokens",
                "MAX_COMPLETION_TOKENS",
                "max\\u005ftokens")) {
            NUMBERS.forEach(number -> members.add(Member.of("\"%s\":%s".formatted(name, number))));
        }
        for (String name : List.of("n", "N", "best_of")) {
            COUNTS.forEach(count -> members.add(Member.of("\"%s\":%s".formatted(name, count))));
        }
        members.addAll(
                contents("\"messages\":[{\"role\":\"user\",\"content\":[%s]}]", "{\"type\":\"text\",\"text\":\"%s\"}"));
        image(
                members,
                "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,%s\"}}]}]");
        referred(
                members,
                "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a.example/b.png\"}}]}]");
        Stream.of(
                        "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"AAAA\",\"format\":\"mp3\"}}]}]",
                        "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"file\":{\"file_id\":\"f\"}}]}]",
                        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}},{\"type\":\"browser_search\"}]",
                        "\"web_search_options\":{}",
                        "\"extra_body\":{\"google\":{\"cached_content\":\"c\"}}",
                        "\"plugins\":[{\"id\":\"web\"}]",
                        "\"models\":[\"dearer\"]",
                        "\"modalities\":[\"text\",\"audio\"]",
                        "\"service_tier\":\"priority\"")
                .forEach(text -> members.add(Member.evil(text)));
        members.add(Member.thinking("\"reasoning_effort\":\"none\"", false));
        members.add(
                Member.thinking("\"extra_body\":{\"google\":{\"thinking_config\":{\"thinking_budget\":9000}}}", true));
        members.add(Member.thinking("\"reasoning_effort\":\"high\"", true));
        members.add(Member.thinking("\"reasoning\":{\"effort\":\"low\"}", true));
        members.add(Member.of(
                "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"url\":\"%s\"}}}]"
                        .formatted(RUN)));
        return some(members);
    }

    @Provide
    Arbitrary<List<Member>> responses() {
        List<Member> members = new ArrayList<>();
        for (String name : List.of("max_output_tokens", "max_tokens", "MAX_OUTPUT_TOKENS")) {
            NUMBERS.forEach(number -> members.add(Member.of("\"%s\":%s".formatted(name, number))));
        }
        members.addAll(contents(
                "\"input\":[{\"role\":\"user\",\"content\":[%s]}]", "{\"type\":\"input_text\",\"text\":\"%s\"}"));
        image(
                members,
                "\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,%s\"}]}]");
        referred(members, "\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"file_id\":\"f\"}]}]");
        Stream.of(
                        "\"background\":true",
                        "\"previous_response_id\":\"r\"",
                        "\"conversation\":{\"id\":\"c\"}",
                        "\"prompt\":{\"id\":\"p\"}",
                        "\"input\":[{\"type\":\"item_reference\",\"id\":\"i\"}]",
                        "\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_file\",\"file_url\":\"https://a.example/b.pdf\"}]}]",
                        "\"tools\":[{\"type\":\"web_search\"}]",
                        "\"tools\":[{\"type\":\"namespace\",\"tools\":[{\"type\":\"mcp\"}]}]",
                        "\"tools\":[{\"type\":\"code_interpreter\",\"container\":{\"type\":\"auto\"}}]",
                        "\"service_tier\":\"priority\"")
                .forEach(text -> members.add(Member.evil(text)));
        members.add(Member.thinking("\"reasoning\":{\"effort\":\"none\"}", false));
        members.add(Member.thinking("\"reasoning\":{\"effort\":\"high\",\"summary\":\"auto\"}", true));
        return some(members);
    }

    @Provide
    Arbitrary<List<Member>> messages() {
        List<Member> members = new ArrayList<>();
        for (String name : List.of("max_tokens", "max_output_tokens", "Max_Tokens")) {
            NUMBERS.forEach(number -> members.add(Member.of("\"%s\":%s".formatted(name, number))));
        }
        members.addAll(
                contents("\"messages\":[{\"role\":\"user\",\"content\":[%s]}]", "{\"type\":\"text\",\"text\":\"%s\"}"));
        image(
                members,
                "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"data\":\"%s\",\"type\":\"base64\",\"media_type\":\"image/png\"}}]}]");
        referred(
                members,
                "\"messages\":[{\"role\":\"user\",\"content\":[{\"source\":{\"type\":\"url\",\"url\":\"https://a.example/b.png\"},\"type\":\"image\"}]}]");
        members.add(Member.of(
                "\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"input\":{\"data\":\"%s\",\"media_type\":\"image/png\"}}]}]"
                        .formatted(RUN)));
        members.add(Member.of(
                "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\",\"data\":\"%s\"}}]}]"
                        .formatted(RUN)));
        Stream.of(
                        "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"https://a.example/b.pdf\"}}]}]",
                        "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}]}]",
                        "\"tools\":[{\"name\":\"f\"},{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}]",
                        "\"mcp_servers\":[{\"type\":\"url\"}]",
                        "\"container\":\"c\"",
                        "\"speed\":\"fast\"")
                .forEach(text -> members.add(Member.evil(text)));
        members.add(Member.thinking("\"thinking\":{\"type\":\"disabled\"}", false));
        members.add(Member.thinking("\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}", true));
        members.add(Member.thinking("\"thinking\":{\"budget_tokens\":40000,\"type\":\"enabled\"}", true));
        members.add(Member.thinking("\"thinking\":{\"type\":\"adaptive\"}", true));
        members.add(Member.of("\"tools\":[{\"name\":\"f\"},{\"type\":\"bash_20250124\",\"name\":\"bash\"}]"));
        return some(members);
    }

    @Provide
    Arbitrary<List<Member>> gemini() {
        List<Member> members = new ArrayList<>();
        for (String config : List.of("generationConfig", "generation_config", "GenerationConfig")) {
            members.add(Member.of("\"%s\":{}".formatted(config)));
            members.add(Member.of("\"%s\":null".formatted(config)));
            for (String name : List.of("maxOutputTokens", "max_output_tokens", "MaxOutputTokens")) {
                for (String number : NUMBERS) {
                    members.add(Member.of("\"%s\":{\"%s\":%s}".formatted(config, name, number)));
                    for (String count : List.of("candidateCount", "candidate_count")) {
                        members.add(Member.of("\"%s\":{\"%s\":8,\"%s\":%s}".formatted(config, count, name, number)));
                    }
                }
            }
            members.add(Member.thinking("\"%s\":{\"thinkingConfig\":{\"thinkingBudget\":0}}".formatted(config), false));
            members.add(
                    Member.thinking("\"%s\":{\"thinkingConfig\":{\"thinkingBudget\":24576}}".formatted(config), true));
            members.add(
                    Member.thinking("\"%s\":{\"thinking_config\":{\"thinking_budget\":-1}}".formatted(config), true));
            members.add(Member.thinking(
                    "\"%s\":{\"thinkingConfig\":{\"thinkingLevel\":\"high\"}}".formatted(config), true));
            members.add(Member.evil("\"%s\":{\"responseModalities\":[\"TEXT\",\"IMAGE\"]}".formatted(config)));
        }
        members.add(Member.of("\"max_tokens\":1"));
        members.addAll(contents("\"contents\":[{\"parts\":[%s]}]", "{\"text\":\"%s\"}"));
        image(members, "\"contents\":[{\"parts\":[{\"inlineData\":{\"data\":\"%s\",\"mimeType\":\"image/png\"}}]}]");
        members.add(Member.of(
                "\"contents\":[{\"parts\":[{\"inline_data\":{\"mime_type\":\"text/plain\",\"data\":\"%s\"}}]}]"
                        .formatted(RUN)));
        Stream.of(
                        "\"contents\":[{\"parts\":[{\"fileData\":{\"fileUri\":\"https://a.example/film\"}}]}]",
                        "\"contents\":[{\"parts\":[{\"inlineData\":{\"mimeType\":\"audio/mp3\",\"data\":\"AAAA\"}}]}]",
                        "\"cachedContent\":\"cachedContents/c\"",
                        "\"tools\":[{\"functionDeclarations\":[]},{\"googleSearch\":{}}]",
                        "\"tools\":[{\"url_context\":{}}]")
                .forEach(text -> members.add(Member.evil(text)));
        return some(members);
    }

    private static Arbitrary<List<Member>> some(List<Member> members) {
        return Arbitraries.of(members).list().ofMaxSize(5);
    }

    private static List<Member> contents(String where, String part) {
        return Stream.of("hello", "words ".repeat(2_000), "a".repeat(44_000), RUN)
                .map(text -> new Member(where.formatted(part.formatted(text)), text.length() / 4, 0, null))
                .toList();
    }

    private static void image(List<Member> members, String where) {
        members.add(new Member(where.formatted(RUN), ModelDemand.IMAGE_TOKENS, 0, null));
    }

    private static void referred(List<Member> members, String text) {
        members.add(new Member(text, ModelDemand.IMAGE_TOKENS, 0, null));
    }

    private static ModelPrice price(boolean reasoning) {
        return new ModelPrice(
                "m",
                BigDecimal.valueOf(2),
                BigDecimal.valueOf(10),
                null,
                BigDecimal.valueOf(4),
                null,
                null,
                reasoning,
                LocalDate.of(2026, 11, 1));
    }

    private static Provider provider(boolean completion) {
        return new Provider(
                "p",
                Map.of(),
                null,
                null,
                Provider.Auth.BEARER,
                true,
                completion ? "max_completion_tokens" : "max_tokens",
                Set.of("chat", "responses"),
                null,
                1,
                new Provider.Pace(null, null),
                List.of(),
                List.of());
    }
}
