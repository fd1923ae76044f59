"""Packages of trainers as far as our environments use them, for tests without the real ones."""

import sys
from types import ModuleType
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

Data, Config, Task = TypeVar("Data"), TypeVar("Config"), TypeVar("Task")


class Strict(BaseModel):
    """A message that takes no unknown fields, as those of OpenEnv."""

    model_config = ConfigDict(extra="forbid")


class Observation(Strict):
    """OpenEnv's base of observations."""

    done: bool = False
    reward: float | None = None


class State(BaseModel):
    """OpenEnv's state."""

    model_config = ConfigDict(extra="allow")

    episode_id: str | None = None
    step_count: int = 0


class Settings(Strict):
    """The configurations of verifiers."""


class TaskOf(BaseModel, Generic[Data]):
    """A task of verifiers."""

    data: Any

    def __init__(self, data: Any, config: Any = None) -> None:
        super().__init__(data=data)


class Taskset(Generic[Task, Config]):
    """A set of tasks of verifiers."""

    def __init__(self, config: Any) -> None:
        self.config = config


class Env(Generic[Config]):
    """An environment of verifiers."""

    def __init__(self, taskset: Any) -> None:
        self.taskset = taskset


class TextEnv:
    """The environment of skyrl-gym."""

    def __init__(self) -> None:
        self.turns, self.max_turns = 0, 1


def _module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module
    return module


def openenv() -> list[str]:
    """Put the parts of OpenEnv in place; return the names of the modules."""
    top = "openenv.core.env_server"
    for name in ("openenv", "openenv.core", top):
        _module(name)
    _module(f"{top}.http_server", create_fastapi_app=None)
    _module(f"{top}.interfaces", Environment=type("Environment", (), {"__init__": lambda self: None}))
    messages = {"Action": type("Action", (Strict,), {}), "Observation": Observation, "State": State}
    _module(f"{top}.types", ConcurrencyConfig=None, **messages)
    return ["openenv", "openenv.core", top, *(f"{top}.{name}" for name in ("http_server", "interfaces", "types"))]


def verifiers() -> list[str]:
    """Put the parts of verifiers in place; return the names of the modules."""
    _module("verifiers")
    settings = {name: type(name, (Settings,), {}) for name in ("TasksetConfig", "EnvConfig", "SubprocessConfig")}
    agent = type("AgentConfig", (BaseModel,), {"model_config": ConfigDict(extra="allow")})
    data = type("TaskData", (BaseModel,), {"model_config": ConfigDict(extra="allow")})
    _module(
        "verifiers.v1",
        AgentConfig=agent,
        TaskData=data,
        Task=TaskOf,
        Taskset=Taskset,
        Env=Env,
        Agents=object,
        **settings,
    )
    return ["verifiers", "verifiers.v1"]


def skyrl() -> list[str]:
    """Put the parts of skyrl-gym in place; return the names of the modules."""
    for name in ("skyrl_gym", "skyrl_gym.envs"):
        _module(name)
    _module("skyrl_gym.envs.base_text_env", BaseTextEnv=TextEnv, BaseTextEnvStepOutput=dict)
    return ["skyrl_gym", "skyrl_gym.envs", "skyrl_gym.envs.base_text_env"]
