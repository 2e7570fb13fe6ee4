# One object of each shape that a framework's agent may have; doubles of the real classes.
class Message:
    def __init__(self, content):
        self.content = content

    def model_dump(self):
        return {"content": self.content}


class Graph:  # LangGraph's CompiledGraph
    channels = {}

    def invoke(self, input): ...

    def get_graph(self): ...

    def stream(self, input, config, stream_mode):
        yield "messages", (Message("hel"), {})
        yield "custom", {"note": 1}
        yield "updates", {"node": 1}
        yield "values", {"messages": [Message("hello")], "thread": config["configurable"]["thread_id"]}


class Runnable:  # a LangChain runnable
    def invoke(self, input): ...

    def get_graph(self): ...

    def stream(self, input, config):
        yield from ["a", "b"]


class Predictor:  # Cog
    def setup(self):
        self.greeting = "hello"

    def predict(self, name: str, times: int = 1):
        return [self.greeting + " " + name] * times


class App:  # Bedrock AgentCore
    def __init__(self):
        self.handlers = {"main": lambda payload: {"got": payload}}


class Crew:  # CrewAI
    def kickoff(self, inputs):
        return {"crew": inputs}


graph, runnable, app, crew = Graph(), Runnable(), App(), Crew()


def no_parameters():
    return "none"


def only_context(context):
    return context.run_id


def fields(name, times=2, *, context):
    return [name * times, context.run_id]


def anything(**given):
    return given
