package ai.molecule.provisioner;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import ai.molecule.common.testing.LayerRules;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;

/** What may know what inside the provisioner. */
@AnalyzeClasses(packages = "ai.molecule.provisioner", importOptions = DoNotIncludeTests.class)
class ProvisionerArchitectureTest {

    @ArchTest
    static final ArchTests layers = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule http_stays_in_routes = classes()
            .that()
            .haveNameNotMatching(".*(Routes|Router|ProvisionerVerticle|TarballDownload)")
            .and()
            .resideOutsideOfPackage("..docker..") // an engine is spoken to in HTTP
            .should()
            .onlyDependOnClassesThat()
            .resideOutsideOfPackages("io.vertx.ext.web..", "io.vertx.core.http..");

    @ArchTest
    static final ArchRule deciding_needs_nothing_but_values = noClasses()
            .that()
            .haveSimpleName("Plan")
            .or()
            .haveSimpleName("RestartSchedule")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..", "java.time.Clock");

    @ArchTest
    static final ArchRule backends_do_not_know_what_should_run = noClasses()
            .that()
            .resideInAnyPackage("..backend..", "..process..", "..docker..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..reconcile..", "..instances..", "..lifecycle..");

    @ArchTest
    static final ArchRule only_the_composition_root_knows_which_backend_there_is = noClasses()
            .that()
            .resideInAnyPackage("..reconcile..", "..instances..", "..lifecycle..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..process..", "..docker..");
}
