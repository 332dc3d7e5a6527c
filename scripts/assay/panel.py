"""The judging panel: chosen by the frozen role map, changed only by a written substitution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.bundle.model import Bundle
from assay.bundle.paths import path_fault
from assay.canonical import sha256
from assay.documents import CONFIG_FILE, read_yaml, schema_problems
from assay.problems import FileFault, Problem, UserError
from assay.prompt import PROMPT_VERSION
from assay.protocols import implementation
from assay.routes import EMBEDDED, ROUTES


@dataclass(frozen=True)
class Judge:
    """One model judge of the panel. `substituted` says why it is not the role map's, '' if it is.

    `view` names the judge whose packet it is shown ('' = the capture's one packet), `family` its family of models ('' =
    not said).
    """

    id: str
    model: str
    provider: str
    route: str
    parameters: Mapping
    response_format: str
    substituted: str = ""
    view: str = ""
    family: str = ""

    def identity(self) -> dict:
        """What makes it this judge: another value of any of these is another judge (and other requests)."""
        return {
            "judge": self.id,
            "model": self.model,
            "provider": self.provider,
            "route": self.route,
            "parameters": dict(self.parameters),
            "response_format": self.response_format,
            "prompt_version": PROMPT_VERSION,
        }

    def digest(self) -> str:
        return sha256(self.identity())


def read_panel(bundle: Bundle, protocol: Mapping, config: Mapping) -> tuple[tuple[Judge, ...], list[Problem]]:
    """Select the judges (specification, Intake Protocol 3 and 4).

    A missing role, a route that is not a metered API, a provider that config.yaml does not know, a substitution without
    need and a panel that the protocol refuses are problems.
    """
    kind = implementation(protocol["protocol"])
    roles = kind.roles(protocol)
    path = bundle.folder / bundle.role_map
    fault = path_fault(bundle.folder, bundle.role_map)
    if fault:
        sheet = str(bundle.folder / "bundle.yaml")
        return (), [Problem(sheet, 0, f"role_map: {fault}", "Put the role map inside the bundle")]
    try:
        role_map = read_yaml(path)
    except FileFault as fault:
        return (), [fault.problem("Give the frozen role map here")]
    problems = schema_problems(role_map, "role-map", str(path))
    if problems:
        return (), problems
    judges = []
    for role, view in roles.items():
        judge, faults = _judge(role, view, role_map["roles"].get(role), str(path), config)
        if judge and judge.route == EMBEDDED:
            faults += _baseline_problems(judge, kind.baselines(view), str(path))
        problems += faults
        judges += [judge] if judge else []
    problems += kind.panel_problems(judges, str(path), protocol) if len(judges) == len(roles) else []
    problems += _role_problems(list(roles), config)
    return tuple(judges), problems


def configurations_of(bundle: Bundle, judges: Sequence[Judge]) -> dict[str, list[str]]:
    """Return for each judge the configurations that contain its model, whom it may favour.

    A model is in a configuration when it is one of its model snapshots (whatever vendor stands before its name), or,
    in the role map's own configuration, when it has a role there. The embedded baselines answer nothing.
    """
    role_map = read_yaml(bundle.folder / bundle.role_map)
    models = {c.id: {bare(model) for model in c.model_snapshots} for c in bundle.configurations}
    roles = {bare(role["model"]) for role in role_map["roles"].values()}
    models[role_map["configuration"]] = models.get(role_map["configuration"], set()) | roles
    return {
        judge.id: [c.id for c in bundle.configurations if judge.route != EMBEDDED and bare(judge.model) in models[c.id]]
        for judge in judges
    }


def bare(model: str) -> str:
    """Return a model id without the vendor before it: the same model through another provider is still the same."""
    return model.rpartition("/")[2].lower()


def _judge(
    role: str, view: str, mapped: Mapping | None, file: str, config: Mapping
) -> tuple[Judge | None, list[Problem]]:
    substitute = config["substitutions"].get(role)
    chosen = substitute or mapped
    place = f"{CONFIG_FILE}: substitutions" if substitute else file
    if chosen is None:
        todo = "Restore the role in the frozen snapshot; judges are never chosen freely"
        return None, [Problem(file, 0, f"the role {role} is missing, so there is no judge for it", todo)]
    problems = []
    if substitute and mapped and all(substitute.get(part) == mapped[part] for part in mapped):
        text = f"substitutions.{role}: it is the judge that the role map names"
        problems.append(Problem(CONFIG_FILE, 0, text, "Take the substitution away"))
    settings = config["judges"].get(role, {})
    judge = Judge(
        id=role,
        model=chosen["model"],
        provider=chosen["provider"],
        route=chosen["route"],
        parameters=dict(settings.get("parameters", {})),
        response_format=settings.get("response_format", "schema"),
        substituted=substitute["reason"] if substitute else "",
        view=view,
        family=chosen.get("family", ""),
    )
    return judge, problems + _judge_problems(judge, place, config)


def _judge_problems(judge: Judge, place: str, config: Mapping) -> list[Problem]:
    from assay.routes.parameters import check_parameters

    problems = []
    known = [*ROUTES, EMBEDDED]
    if judge.route not in known:
        todo = f"Judges are reached by a metered API only: {', '.join(known)}"
        problems.append(Problem(place, 0, f"the route {judge.route!r} of {judge.id} is not a metered API", todo))
    elif judge.route != EMBEDDED:
        if judge.provider not in config["providers"]:
            todo = f"Add providers.{judge.provider} with base_url and key_env to config.yaml"
            problems.append(Problem(place, 0, f"{judge.id}: the provider {judge.provider!r} is not configured", todo))
        try:
            check_parameters(judge.route, judge.model, judge.parameters)
        except UserError as error:
            problems.append(Problem(place, 0, f"{judge.id}: {error}", "Correct it under judges in config.yaml"))
    return problems


def _baseline_problems(judge: Judge, known: list[str], place: str) -> list[Problem]:
    if judge.model in known:
        return []
    text = f"{judge.id}: there is no embedded baseline {judge.model!r} for this judge"
    return [Problem(place, 0, text, f"The embedded baselines are {', '.join(known)}")]


def _role_problems(roles: list[str], config: Mapping) -> list[Problem]:
    problems = []
    for key in ("judges", "substitutions"):
        for role in sorted(set(config[key]) - set(roles)):
            text = f"{key}.{role}: there is no such judge"
            problems.append(Problem(CONFIG_FILE, 0, text, f"The panel's roles are {', '.join(roles)}"))
    return problems
