"""A LangGraph agent with a tool, and a question to a person before the tool is used."""

import os

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import interrupt


@tool
def book_table(restaurant: str, people: int) -> str:
    """Books a table."""
    if interrupt(f"Book a table for {people} at {restaurant}?") != "yes":
        return "The person said no."
    return f"Booked: {restaurant}, {people} people."


model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-5-mini")).bind_tools([book_table])


def call_model(state: MessagesState):
    return {"messages": [model.invoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node("agent", call_model)
    .add_node("tools", ToolNode([book_table]))
    .add_edge(START, "agent")
    .add_conditional_edges("agent", tools_condition)
    .add_edge("tools", "agent")
    .compile()
)
