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


class Streamed:  # what PydanticAI's run_stream opens
    def __init__(self, prompt):
        self.prompt = prompt

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error): ...

    async def stream_text(self, delta):
        for part in (self.prompt, "!"):
            yield part

    async def get_output(self):
        return {"answer": self.prompt + "!"}


class PydanticAgent:  # PydanticAI
    def run_sync(self, prompt): ...

    def run_stream(self, prompt):
        return Streamed(prompt)


class Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class RunResult:  # what OpenAI Agents' Runner.run_streamed gives
    def __init__(self, prompt):
        self.final_output = "said " + prompt

    async def stream_events(self):
        for delta in ("said ", self.final_output[5:]):
            yield Record(type="raw_response_event", data=Record(type="response.output_text.delta", delta=delta))
        yield Record(type="raw_response_event", data=Record(type="response.completed"))
        yield Record(type="run_item_stream_event", name="tool_called", item={"tool": "search"})
        yield Record(type="agent_updated_stream_event")


class Runner:
    @staticmethod
    def run_streamed(agent, input):
        return RunResult(input)


class OpenaiAgent:  # OpenAI Agents
    instructions, handoffs, model_settings, tools = "be brief", [], None, []


graph, runnable, app, crew = Graph(), Runnable(), App(), Crew()
pydantic_agent, openai_agent = PydanticAgent(), OpenaiAgent()


def no_parameters():
    return "none"


def only_context(context):
    return context.run_id


def fields(name, times=2, *, context):
    return [name * times, context.run_id]


def anything(**given):
    return given
