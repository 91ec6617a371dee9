package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.validator.CelValidatorFactory;
import dev.cel.validator.validators.RegexLiteralValidator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * CEL over {@link CallFacts}: typed, so that a misspelt name does not compile, and without macros, so that nothing in it repeats: what an
 * expression costs is bounded by its length. Patterns are RE2's, whose time is linear.
 */
public final class PolicyLanguage {

    /** Nested so deep; what a person writes is a few. */
    private static final int DEPTH_MAX = 32;

    private static final int MESSAGE_MAX_CHARS = 300;

    private static final Cel CEL = cel();

    /** A rule that was compiled, for any number of calls and threads. */
    public interface Program {

        /** Fails with {@link CelEvaluationException} where it cannot be told. */
        boolean refuses(Map<String, Object> facts) throws CelEvaluationException;
    }

    private PolicyLanguage() {}

    /** Takes milliseconds, and a second the first time. Fails with INVALID, which says where and why. */
    public static Program compile(String expression) {
        try {
            var compiled = CEL.compile(expression);
            refuseErrors(compiled);
            var tree = compiled.getAst();
            refuseErrors(patternsOf(tree));
            CelRuntime.Program program = CEL.createProgram(tree);
            return facts -> (Boolean) program.eval(facts);
        } catch (CelValidationException | CelEvaluationException unusable) {
            throw ApiError.invalid("refuse_when does not compile: " + cut(String.valueOf(unusable.getMessage())));
        }
    }

    private static CelValidationResult patternsOf(CelAbstractSyntaxTree tree) {
        return CelValidatorFactory.standardCelValidatorBuilder(CEL)
                .addAstValidators(RegexLiteralValidator.INSTANCE)
                .build()
                .validate(tree);
    }

    private static void refuseErrors(CelValidationResult result) {
        if (result.hasError()) {
            throw ApiError.invalid("refuse_when does not compile: " + says(result.getErrors()));
        }
    }

    private static String says(List<CelIssue> errors) {
        var first = errors.getFirst();
        String what = cut(first.getMessage());
        int column = first.getSourceLocation().getColumn();
        String where = column < 0
                ? ""
                : " at %d:%d".formatted(first.getSourceLocation().getLine(), column + 1);
        String hint = what.startsWith("undeclared reference")
                ? "; there are " + CallFacts.NAMES.keySet().stream().sorted().collect(Collectors.joining(", "))
                : "";
        return what + where + hint;
    }

    private static String cut(String text) {
        String line = text.lines().findFirst().orElse("");
        return line.length() <= MESSAGE_MAX_CHARS ? line : line.substring(0, MESSAGE_MAX_CHARS) + "…";
    }

    private static Cel cel() {
        var options = CelOptions.current()
                .maxExpressionCodePointSize(PolicyRule.Words.REFUSE_WHEN_MAX_CHARS)
                .maxParseRecursionDepth(DEPTH_MAX)
                .build();
        var builder = CelFactory.standardCelBuilder()
                .setStandardMacros()
                .setOptions(options)
                .setResultType(SimpleType.BOOL);
        CallFacts.NAMES.forEach((name, type) -> builder.addVar(name, typeOf(type)));
        return builder.build();
    }

    private static CelType typeOf(CallFacts.Type type) {
        return switch (type) {
            case TEXT -> SimpleType.STRING;
            case NUMBER -> SimpleType.INT;
            case DOLLARS -> SimpleType.DOUBLE;
        };
    }
}
