package ai.molecule.runtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "ai.molecule.runtime", importOptions = DoNotIncludeTests.class)
class RuntimeArchitectureTest {

    private static final String A2A = "ai.molecule.runtime.a2a..";

    @ArchTest
    static final ArchRule executors_know_no_http_server = noClasses()
            .that()
            .resideInAnyPackage(
                    "ai.molecule.runtime.agent..",
                    "ai.molecule.runtime.echo..",
                    "ai.molecule.runtime.delegate..",
                    "ai.molecule.runtime.cli..",
                    "ai.molecule.runtime.langchain4j..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..", A2A, "ai.molecule.runtime.tasks..");

    @ArchTest
    static final ArchRule tasks_know_neither_http_nor_the_protocol = noClasses()
            .that()
            .resideInAPackage("ai.molecule.runtime.tasks..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..", A2A);

    @ArchTest
    static final ArchRule nothing_but_the_kinds_table_knows_a_kind_of_agent = classes()
            .that()
            .resideInAnyPackage(
                    "ai.molecule.runtime.echo..",
                    "ai.molecule.runtime.delegate..",
                    "ai.molecule.runtime.cli..",
                    "ai.molecule.runtime.langchain4j..")
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAnyPackage(
                    "ai.molecule.runtime",
                    "ai.molecule.runtime.echo..",
                    "ai.molecule.runtime.delegate..",
                    "ai.molecule.runtime.cli..",
                    "ai.molecule.runtime.langchain4j..");

    @ArchTest
    static final ArchRule nothing_else_loads_langchain4j = noClasses()
            .that()
            .resideOutsideOfPackage("ai.molecule.runtime.langchain4j..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.langchain4j..");
}
