package ai.molecule.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What may know what inside the proxy. */
@AnalyzeClasses(packages = "ai.molecule.proxy", importOptions = DoNotIncludeTests.class)
class ProxyArchitectureTest {

    @ArchTest
    static final ArchRule only_routes_and_the_front_door_know_the_web = noClasses()
            .that()
            .resideOutsideOfPackage("..frontdoor..")
            .and()
            .haveNameNotMatching(".*(Routes|Router|Verticle)")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.vertx.ext.web..");

    @ArchTest
    static final ArchRule the_proxy_keeps_nothing_in_sql_yet = noClasses()
            .that()
            .haveNameNotMatching(".*\\.Pg[A-Za-z]+Store(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..");

    @ArchTest
    static final ArchRule other_services_are_reached_over_the_bus_only = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.molecule.registry..", "ai.molecule.events..", "ai.molecule.provisioner..");

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
}
