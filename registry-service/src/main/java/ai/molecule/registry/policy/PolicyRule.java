package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A rule, which refuses or watches calls from and to those it holds for.
 *
 * @param branch the workspace that it holds for with all below it; null for the organisation
 * @param branchName that workspace's; null for the organisation
 */
record PolicyRule(
        Name name,
        @Nullable UUID branch,
        @Nullable String branchName,
        Words words,
        Instant createdAt,
        Instant updatedAt) {

    /** Whether a rule refuses, or only says that it would. */
    enum Mode {
        OBSERVE,
        ENFORCE;

        static Mode of(String wire) {
            return Stream.of(values())
                    .filter(mode -> mode.wire().equals(wire))
                    .findFirst()
                    .orElseThrow(() -> ApiError.invalid("mode must be observe or enforce"));
        }

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a rule is called, within its branch. */
    record Name(String text) {

        private static final Pattern FORM = Pattern.compile("[a-z][a-z0-9-]{0,62}");

        /** Fails with INVALID. */
        Name {
            if (!FORM.matcher(text).matches()) {
                throw ApiError.invalid(
                        "a rule's name is of small letters, digits and -, at most 63, and begins with a letter");
            }
        }
    }

    /**
     * What may be changed of one.
     *
     * @param refuseWhen CEL that answers yes or no
     * @param says why, for whoever is refused; may be empty
     */
    record Words(String refuseWhen, String says, Mode mode) {

        static final int REFUSE_WHEN_MAX_CHARS = 1_000;
        private static final int SAYS_MAX_CHARS = 200;

        /** Fails with INVALID. Whether it compiles is seen elsewhere. */
        Words {
            if (refuseWhen.isBlank()) {
                throw ApiError.invalid("refuse_when is required");
            }
            if (refuseWhen.length() > REFUSE_WHEN_MAX_CHARS) {
                throw ApiError.invalid("refuse_when exceeds %d chars".formatted(REFUSE_WHEN_MAX_CHARS));
            }
            if (refuseWhen.indexOf('\0') >= 0) {
                throw ApiError.invalid("refuse_when must have no NUL");
            }
            if (says.length() > SAYS_MAX_CHARS) {
                throw ApiError.invalid("says exceeds %d chars".formatted(SAYS_MAX_CHARS));
            }
            if (says.chars().anyMatch(Character::isISOControl)) {
                throw ApiError.invalid("says must be one line");
            }
        }
    }

    /** Whose rule it is, as people are told. */
    String owner() {
        return branchName == null ? "the organisation" : branchName;
    }

    /** Of one that holds from above what may be seen: the workspace it is of, and what else it may name, are somebody else's. */
    ObjectNode fromAbove() {
        return toJson().putNull("branch")
                .putNull("branch_name")
                .putNull("refuse_when")
                .put("from_above", true);
    }

    /** {@code {"name", "branch", "branch_name", "mode", "refuse_when", "says", "created_at", "updated_at"}}. */
    ObjectNode toJson() {
        return Json.object()
                .put("name", name.text)
                .put("branch", branch == null ? null : branch.toString())
                .put("branch_name", branchName)
                .put("mode", words.mode.wire())
                .put("refuse_when", words.refuseWhen)
                .put("says", words.says)
                .put("created_at", Json.time(createdAt))
                .put("updated_at", Json.time(updatedAt));
    }
}
