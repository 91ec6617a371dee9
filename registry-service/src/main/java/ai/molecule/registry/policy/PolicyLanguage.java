package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.CelStandardFunctions.StandardFunction;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * CEL over facts with names: typed, so that a misspelt name does not compile, and without macros, so that nothing in it repeats: what an
 * expression costs is bounded by its length and that of its facts. Patterns are literals of RE2, whose time is linear, and small ones.
 */
public final class PolicyLanguage {

    /** Of what a name stands for. */
    public enum Type {
        TEXT,
        NUMBER,
        DOLLARS,
        /** An object of JSON, whose members are of any type: what is not there, or of another type than is asked for, cannot be told. */
        MEMBERS
    }

    public static final int EXPRESSION_MAX_CHARS = PolicyRule.Words.REFUSE_WHEN_MAX_CHARS;

    /** Nested so deep; what a person writes is a few. */
    private static final int DEPTH_MAX = 32;

    private static final int MESSAGE_MAX_CHARS = 300;

    private static final String MATCHES = "matches";

    /** The patterns of as many programs as are kept; each is small, see {@link PatternSize}. CEL would compile them anew for each call. */
    private static final Cache<String, Pattern> PATTERNS =
            Caffeine.newBuilder().maximumSize(500).executor(Runnable::run).build();

    private static final CelOptions OPTIONS = CelOptions.current()
            .maxExpressionCodePointSize(EXPRESSION_MAX_CHARS)
            .maxParseRecursionDepth(DEPTH_MAX)
            .enableHeterogeneousNumericComparisons(true) // 12.5 > 12, whatever JSON has
            .build();

    private static final CelRuntime RUNTIME = runtime();

    /** Of calls, {@link CallFacts}. */
    public static final PolicyLanguage OF_CALLS = new PolicyLanguage("refuse_when", CallFacts.NAMES);

    /** A rule that was compiled, for any number of calls and threads. */
    public interface Program {

        /** Fails with {@link CelEvaluationException} where it cannot be told. */
        boolean holds(Map<String, Object> facts) throws CelEvaluationException;
    }

    private final String member;
    private final Map<String, Type> names;
    private final CelCompiler compiler;

    /**
     * Takes as long as compiling does the first time: not on an event loop.
     *
     * @param member of a body in which expressions come, as refusals name it
     * @param names all that an expression may name
     */
    public PolicyLanguage(String member, Map<String, Type> names) {
        this.member = member;
        this.names = Map.copyOf(names);
        this.compiler = compiler(names);
    }

    /** Takes milliseconds, and a second the first time. Fails with INVALID, which says where and why. */
    public Program compile(String expression) {
        try {
            var compiled = compiler.compile(expression);
            refuseErrors(compiled);
            var tree = compiled.getAst();
            checkPatterns(tree);
            CelRuntime.Program program = RUNTIME.createProgram(tree);
            return facts -> (Boolean) program.eval(facts);
        } catch (CelValidationException | CelEvaluationException unusable) {
            throw flaw(cut(String.valueOf(unusable.getMessage())));
        }
    }

    private ApiError flaw(String what) {
        return ApiError.invalid(member + " does not compile: " + what);
    }

    /** Before any is compiled. What comes of an expression is known only by a call: neither its size nor whether it is a pattern. */
    private void checkPatterns(CelAbstractSyntaxTree tree) {
        CelNavigableAst.fromAst(tree)
                .getRoot()
                .allNodes()
                .filter(node -> node.getKind() == Kind.CALL)
                .map(node -> node.expr().call())
                .filter(call -> call.function().equals(MATCHES))
                .map(this::patternOf)
                .forEach(this::checkPattern);
    }

    private void checkPattern(String pattern) {
        try {
            PatternSize.check(pattern);
            compiled(pattern);
        } catch (ApiError unusable) {
            throw flaw(unusable.publicMessage());
        }
    }

    private String patternOf(CelExpr.CelCall call) {
        var pattern = call.args().getLast().constantOrDefault();
        if (call.args().getLast().getKind() != Kind.CONSTANT || pattern.getKind() != CelConstant.Kind.STRING_VALUE) {
            throw flaw(
                    "the pattern of matches() must be a text in quotes; for names that are known only by the call use ==, startsWith, endsWith or contains");
        }
        return pattern.stringValue();
    }

    private static boolean matches(String text, String pattern) {
        return compiled(pattern).matcher(text).find();
    }

    private static Pattern compiled(String pattern) {
        try {
            return PATTERNS.get(pattern, Pattern::compile);
        } catch (PatternSyntaxException malformed) {
            throw ApiError.invalid("Regex validation failed. Reason: " + cut(String.valueOf(malformed.getMessage())));
        }
    }

    private void refuseErrors(CelValidationResult result) {
        if (result.hasError()) {
            throw flaw(says(result.getErrors()));
        }
    }

    private String says(List<CelIssue> errors) {
        var first = errors.getFirst();
        String what = cut(first.getMessage());
        int column = first.getSourceLocation().getColumn();
        String where = column < 0
                ? ""
                : " at %d:%d".formatted(first.getSourceLocation().getLine(), column + 1);
        String hint = what.startsWith("undeclared reference")
                ? "; there are " + names.keySet().stream().sorted().collect(Collectors.joining(", "))
                : "";
        return what + where + hint;
    }

    private static String cut(String text) {
        String line = text.lines().findFirst().orElse("");
        return line.length() <= MESSAGE_MAX_CHARS ? line : line.substring(0, MESSAGE_MAX_CHARS) + "…";
    }

    private static CelCompiler compiler(Map<String, Type> names) {
        var builder = CelCompilerFactory.standardCelCompilerBuilder()
                .setStandardMacros()
                .setOptions(OPTIONS)
                .setResultType(SimpleType.BOOL);
        names.forEach((name, type) -> builder.addVar(name, typeOf(type)));
        return builder.build();
    }

    /** With all functions of CEL, but that patterns are compiled once. */
    private static CelRuntime runtime() {
        return CelRuntimeFactory.standardCelRuntimeBuilder()
                .setOptions(OPTIONS)
                .setStandardEnvironmentEnabled(false)
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .excludeFunctions(StandardFunction.MATCHES)
                        .build())
                .addFunctionBindings(
                        CelFunctionBinding.from(MATCHES, String.class, String.class, PolicyLanguage::matches),
                        CelFunctionBinding.from("matches_string", String.class, String.class, PolicyLanguage::matches))
                .build();
    }

    private static CelType typeOf(Type type) {
        return switch (type) {
            case TEXT -> SimpleType.STRING;
            case NUMBER -> SimpleType.INT;
            case DOLLARS -> SimpleType.DOUBLE;
            case MEMBERS -> MapType.create(SimpleType.STRING, SimpleType.DYN);
        };
    }
}
