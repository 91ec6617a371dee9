package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.NotReady;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a program may do without asking: {@code runtime_config.permission_mode}, else what its tier allows. The platform's tools it may always use. */
enum Permission {
    /** It looks, and changes nothing. */
    READ,
    /** It changes files in its folder; whatever else wants permission is refused. */
    EDIT,
    /** The same, and of whatever else wants permission a person is asked, where the program can ask for it. */
    ASK,
    /** Anything. */
    ALL;

    /**
     * @param mode as it is configured; empty for that of the tier
     * @throws NotReady when there is no such mode
     */
    static Permission of(String mode, int tier) {
        if (mode.isBlank()) {
            return values()[Math.clamp(tier, 1, values().length) - 1];
        }
        return Arrays.stream(values())
                .filter(each -> each.word().equals(mode.strip()))
                .findFirst()
                .orElseThrow(() -> new NotReady(
                        "Configuration",
                        "runtime_config.permission_mode is " + mode,
                        "Set it to one of: "
                                + Arrays.stream(values()).map(Permission::word).collect(Collectors.joining(", "))
                                + "."));
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
