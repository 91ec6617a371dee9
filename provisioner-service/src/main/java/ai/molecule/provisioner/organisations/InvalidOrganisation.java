package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import java.util.List;
import java.util.Map;

/** The two ways in which an organisation is refused, each with what is wrong in words. */
final class InvalidOrganisation {

    private static final int PROBLEMS_MAX = 20;

    private InvalidOrganisation() {}

    /** 400 {@code invalid org template} with {@code problems}, of which the first 20 are told. */
    static ApiError template(List<String> problems) {
        return new ApiError(
                ApiError.Kind.INVALID,
                "invalid org template",
                Map.of("problems", problems.stream().limit(PROBLEMS_MAX).toList()));
    }

    static ApiError template(String problem) {
        return template(List.of(problem));
    }

    /** What is wrong, without the frame around it. */
    static String problemOf(ApiError error) {
        return error.details().get("problems") instanceof List<?> problems && !problems.isEmpty()
                ? String.valueOf(problems.getFirst())
                : error.publicMessage();
    }

    /** 400 {@code org template expansion failed} with {@code problems}. */
    static ApiError expansion(String problem) {
        return new ApiError(
                ApiError.Kind.INVALID, "org template expansion failed", Map.of("problems", List.of(problem)));
    }
}
