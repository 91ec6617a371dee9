package ai.molecule.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import ai.molecule.common.testing.LayerRules;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;

/** What may know what inside the proxy. */
@AnalyzeClasses(packages = "ai.molecule.proxy", importOptions = DoNotIncludeTests.class)
class ProxyArchitectureTest {

    @ArchTest
    static final ArchTests layers = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule only_routes_and_doors_know_the_web = noClasses()
            .that()
            .resideOutsideOfPackages("..frontdoor..", "..models..")
            .and()
            .haveNameNotMatching(".*(Routes|Router|Verticle)")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.vertx.ext.web..");

    @ArchTest
    static final ArchRule scanning_json_needs_nothing_of_the_proxy = classes()
            .that()
            .resideInAPackage("..proxy.json..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "..proxy.json..", "..common.json..", "com.fasterxml..", "org.jspecify..");

    @ArchTest
    static final ArchRule folders_form_no_circle =
            slices().matching("ai.molecule.proxy.(*)..").should().beFreeOfCycles();

    /** Each knows those below it only. */
    @ArchTest
    static final ArchRule a_message_passes_a2a_from_the_top_down = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("ai.molecule.proxy.a2a..")
            .layer("routes")
            .definedBy("ai.molecule.proxy.a2a")
            .layer("tasks")
            .definedBy("..a2a.tasks")
            .layer("messages")
            .definedBy("..a2a.messages")
            .layer("calls")
            .definedBy("..a2a.calls")
            .layer("admission")
            .definedBy("..a2a.admission")
            .whereLayer("routes")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("tasks")
            .mayOnlyBeAccessedByLayers("routes")
            .whereLayer("messages")
            .mayOnlyBeAccessedByLayers("routes", "tasks")
            .whereLayer("calls")
            .mayOnlyBeAccessedByLayers("routes", "tasks", "messages");
}
