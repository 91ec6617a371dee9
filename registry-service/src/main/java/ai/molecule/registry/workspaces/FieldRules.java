package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.workspaces.LentFolder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the texts of a workspace may hold (docs/wire/registry.md). Each fails with INVALID and a text that names the field. */
public final class FieldRules {

    static final Set<String> ACCESS = Set.of("none", "read_only", "read_write");

    private static final String FORBIDDEN = "{}[]|>*&!";
    private static final int CARD_MAX_BYTES = 64 * 1024;

    private FieldRules() {}

    public static void checkName(String name) {
        checkNameLine(name);
        checkPlain("name", name);
    }

    public static void checkRole(@Nullable String role) {
        if (role != null) {
            checkRoleLine(role);
            checkPlain("role", role);
        }
    }

    /** A name that comes out of a file: whoever wrote "R&D" there meant it. */
    static void checkNameLine(String name) {
        checkLine("name", name, 255);
        checkVisible("name", name);
        if (name.isEmpty()) {
            throw ApiError.invalid("name must not be empty");
        }
    }

    /** A role that comes out of a file. */
    static void checkRoleLine(@Nullable String role) {
        if (role != null) {
            checkLine("role", role, 1000);
            checkVisible("role", role);
        }
    }

    public static void checkModel(@Nullable String model) {
        if (model != null) {
            checkLine("model", model, 100);
        }
    }

    static void checkRuntime(String runtime) {
        checkLine("runtime", runtime, 100);
    }

    /** Nothing that PostgreSQL could not hold as text. */
    static void checkStorable(@Nullable String... texts) {
        for (String text : texts) {
            if (text != null && text.indexOf('\0') >= 0) {
                throw ApiError.invalid("a text contains a NUL character");
            }
        }
    }

    /** Null and empty mean none. */
    static void checkWorkspaceDir(@Nullable String folder) {
        if (folder != null && !folder.isEmpty() && !LentFolder.isAllowed(folder)) {
            throw ApiError.invalid("invalid workspace directory");
        }
    }

    /** A name inside the templates folder, never a way out of it. */
    static void checkTemplate(@Nullable String template) {
        if (template != null && (template.startsWith("/") || template.contains("..") || template.contains("\\"))) {
            throw ApiError.invalid("invalid template");
        }
    }

    /** One line that people read: fails with INVALID for a longer one, and for what would steer a terminal. */
    public static void checkShown(String field, String value, int bytesMax) {
        checkLine(field, value, bytesMax);
        checkVisible(field, value);
    }

    private static void checkLine(String field, String value, int bytesMax) {
        if (value.indexOf('\n') >= 0 || value.indexOf('\r') >= 0) {
            throw ApiError.invalid(field + " must not contain newline characters");
        }
        if (value.getBytes(StandardCharsets.UTF_8).length > bytesMax) {
            throw ApiError.invalid("%s must be at most %d characters".formatted(field, bytesMax));
        }
    }

    /** An agent's card goes to everybody near it: fails with TOO_LARGE for more than 64 KiB of JSON text. */
    public static void checkCard(String agentCard) {
        if (agentCard.getBytes(StandardCharsets.UTF_8).length > CARD_MAX_BYTES) {
            throw new ApiError(
                    ApiError.Kind.TOO_LARGE, "agent_card must be at most %d bytes".formatted(CARD_MAX_BYTES));
        }
    }

    /** Nothing that would steer a terminal it is printed on, or turn the reading direction of what follows. */
    private static void checkVisible(String field, String value) {
        if (value.chars().anyMatch(FieldRules::isSteering)) {
            throw ApiError.invalid(field + " must not contain control characters");
        }
    }

    private static boolean isSteering(int character) {
        return Character.isISOControl(character)
                || character == 0x061C
                || character == 0x200E
                || character == 0x200F
                || character == 0x2028
                || character == 0x2029
                || (character >= 0x202A && character <= 0x202E)
                || (character >= 0x2066 && character <= 0x2069);
    }

    private static void checkPlain(String field, String value) {
        if (value.chars().anyMatch(character -> FORBIDDEN.indexOf(character) >= 0)) {
            throw ApiError.invalid(field + " contains invalid characters");
        }
    }
}
